import { isAddress } from '@avm402/algorand/address';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import type { UptoAuthorization } from './upto-program.ts';

const UINT64 = /^(?:0|[1-9]\d{0,19})$/;
const MAX_UINT64 = 2n ** 64n - 1n;
const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** An authorization and the payer's signature of its program: the scheme's part of a payment. */
export interface UptoPayment {
  readonly payer: string;
  readonly authorization: UptoAuthorization;
  /** 64 bytes over `"Program" ‖ program`, by the payer or by whom it is rekeyed to. */
  readonly signature: Uint8Array;
  /** Whom the payer is rekeyed to; absent when it signs itself. */
  readonly authAddress?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the scheme's part of a payment. The signature is not checked yet.
 * @throws X402Error `invalid_upto_avm_payload`, with the field's name
 */
export function parseUptoPayload(payload: Fields): UptoPayment {
  const fields: Fields = Object(payload['authorization']);
  const authAddress = payload['authAddress'];
  return {
    payer: address('payer', fields['payer']),
    authorization: {
      receiver: address('receiver', fields['receiver']),
      feePayer: address('feePayer', fields['feePayer']),
      token: uint64('token', fields['token']),
      maxAmount: uint64('maxAmount', fields['maxAmount']),
      lastValid: uint64('lastValid', fields['lastValid']),
      genesisHash: bytes('genesisHash', fields['genesisHash'], HASH_BYTES),
      lease: bytes('lease', fields['lease'], HASH_BYTES),
    },
    signature: bytes('signature', payload['signature'], SIGNATURE_BYTES),
    ...(authAddress !== undefined && { authAddress: address('authAddress', authAddress) }),
  };
}

/** The wire form: text only. */
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

function address(name: string, value: unknown): string {
  if (typeof value !== 'string' || !isAddress(value)) throw invalid(`${name} is no address`);
  return value;
}

function uint64(name: string, value: unknown): bigint {
  const amount = typeof value === 'string' && UINT64.test(value) ? BigInt(value) : MAX_UINT64 + 1n;
  if (amount > MAX_UINT64) throw invalid(`${name} must be a whole number below 2^64, as text`);
  return amount;
}

function bytes(name: string, value: unknown, length: number): Uint8Array {
  const decoded = typeof value === 'string' && value.length <= 2 * length ? decodeBase64(value) : undefined;
  if (decoded?.length !== length) throw invalid(`${name} must be base64 of ${length} bytes`);
  return decoded;
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_upto_avm_payload', { message: `the payment of at most an amount: ${what}` });
}
