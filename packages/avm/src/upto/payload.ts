import { encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import { FieldReader } from '../network/field-reader.ts';
import { isUptoLease } from '../signing/scheme-programs.ts';
import type { UptoAuthorization } from './upto-program.ts';

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The scheme's part of a payment: an authorization, and the payer's signature of its program. */
export interface UptoPayment {
  readonly payer: string;
  readonly authorization: UptoAuthorization;
  /** 64 bytes over `"Program" ‖ program`, made by the payer or by the address that it is rekeyed to. */
  readonly signature: Uint8Array;
  /** The address that the payer is rekeyed to; absent if the payer signs itself. */
  readonly authAddress?: string;
}

const read = new FieldReader(invalid);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the scheme's part of a payment. The signature is not checked yet.
 * @throws X402Error `invalid_upto_avm_payload`, with the field's name
 */
export function parseUptoPayload(payload: Fields): UptoPayment {
  const fields: Fields = Object(payload['authorization']);
  const authAddress = payload['authAddress'];
  return {
    payer: read.address('payer', fields['payer']),
    authorization: {
      receiver: read.address('receiver', fields['receiver']),
      feePayer: read.address('feePayer', fields['feePayer']),
      token: read.uint64('token', fields['token']),
      maxAmount: read.uint64('maxAmount', fields['maxAmount']),
      lastValid: read.uint64('lastValid', fields['lastValid']),
      genesisHash: read.bytes('genesisHash', fields['genesisHash'], HASH_BYTES),
      lease: leaseOf(fields['lease']),
    },
    signature: read.bytes('signature', payload['signature'], SIGNATURE_BYTES),
    ...(authAddress !== undefined && { authAddress: read.address('authAddress', authAddress) }),
  };
}

function leaseOf(value: unknown): Uint8Array {
  const lease = read.bytes('lease', value, HASH_BYTES);
  if (!isUptoLease(lease)) throw invalid('lease is not one of this scheme: it begins with other bytes');
  return lease;
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_upto_avm_payload', { message: `the payment of at most an amount: ${what}` });
}

/** The wire form, which has only text members. */
export function encodeUptoPayload({ payer, authorization, signature, authAddress }: UptoPayment) {
  const { receiver, feePayer, token, maxAmount, lastValid, genesisHash, lease } = authorization;
  return {
    authorization: {
      payer,
      receiver,
      feePayer,
      token: token.toString(),
      maxAmount: maxAmount.toString(),
      lastValid: lastValid.toString(),
      genesisHash: encodeBase64(genesisHash),
      lease: encodeBase64(lease),
    },
    signature: encodeBase64(signature),
    ...(authAddress !== undefined && { authAddress }),
  };
}
