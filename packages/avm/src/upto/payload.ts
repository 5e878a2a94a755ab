import { encodeBase64 } from '@avm402/algorand/base64';
import { FieldReader } from '../wire/field-reader.ts';
import { isUptoLease } from '../signing/upto-lease.ts';
import { invalidUpto, type UptoAuthorization, uptoTemplate } from './upto-program.ts';

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

const read = new FieldReader(invalidUpto);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the scheme's part of a payment. The signature is not checked yet.
 * @throws X402Error `invalid_upto_avm_payload`, with the field's name
 */
export function parseUptoPayload({ authorization: sent, signature, authAddress }: Fields): UptoPayment {
  const fields: Fields = Object(sent);
  const payer = read.address('payer', fields['payer']);
  const authorization = uptoTemplate.read(fields);
  if (!isUptoLease(authorization.lease)) {
    throw invalidUpto('lease is not one of this scheme: it begins with other bytes');
  }
  return {
    payer,
    authorization,
    signature: read.bytes('signature', signature, SIGNATURE_BYTES),
    ...(authAddress !== undefined && { authAddress: read.address('authAddress', authAddress) }),
  };
}

/** The wire form, which has only text members. */
export function encodeUptoPayload({ payer, authorization, signature, authAddress }: UptoPayment) {
  return {
    authorization: { payer, ...uptoTemplate.encode(authorization) },
    signature: encodeBase64(signature),
    ...(authAddress !== undefined && { authAddress }),
  };
}
