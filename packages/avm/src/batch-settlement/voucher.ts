import { parseAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { verify, type Signer } from '@avm402/algorand/ed25519';
import { X402Error } from '@avm402/core/errors';
import { FieldReader } from '../wire/field-reader.ts';
import { uint64Bytes, type Wire } from '../signing/program-template.ts';

/** The prefix that the AVM puts before the program's hash and the data that `ed25519verify` checks. */
const DOMAIN = new TextEncoder().encode('ProgData');
const SIGNATURE_BYTES = 64;

/**
 * The payer's permission for the seller to claim up to an amount from a channel, for all requests so far together. A
 * later voucher replaces an earlier one. Each amount is signed once per channel, so it is the id of one request.
 */
export interface Voucher {
  /** The channel's address. */
  readonly channelId: string;
  /** Atomic units, cumulative. */
  readonly maxClaimableAmount: bigint;
  /** 64 bytes, by the channel's `payerAuthorizer`. */
  readonly signature: Uint8Array;
}

/**
 * Signs a voucher with the channel's session key. The voucher is bound to the channel, because the address is the
 * program's hash.
 */
export function signVoucher(signer: Signer, channelId: string, maxClaimableAmount: bigint): Voucher {
  const signature = signer.sign(signedBytes(channelId, maxClaimableAmount));
  return { channelId, maxClaimableAmount, signature };
}

/** Whether the channel's program accepts the voucher: this runs the same check, with algod's Ed25519. */
export function isVoucherSigned(
  { channelId, maxClaimableAmount, signature }: Voucher,
  payerAuthorizer: string,
): boolean {
  return verify(parseAddress(payerAuthorizer), signedBytes(channelId, maxClaimableAmount), signature);
}

/** `"ProgData" ‖ hash of the program, which is the channel's address ‖ amount as 8 bytes`. */
function signedBytes(channelId: string, maxClaimableAmount: bigint): Uint8Array {
  return Uint8Array.from([...DOMAIN, ...parseAddress(channelId), ...uint64Bytes(maxClaimableAmount)]);
}

const read = new FieldReader(
  (what) => new X402Error('invalid_batch_settlement_avm_payload', { message: `the voucher: ${what}` }),
);

/**
 * Reads a voucher from outside. Its signature is not checked yet.
 * @throws X402Error `invalid_batch_settlement_avm_payload`, `invalid_amount`
 */
export function parseVoucher(value: unknown): Voucher {
  const { channelId, maxClaimableAmount, signature }: Partial<Record<keyof Voucher, unknown>> = Object(value);
  return {
    channelId: read.address('channelId', channelId),
    maxClaimableAmount: read.amount('maxClaimableAmount', maxClaimableAmount),
    signature: read.bytes('signature', signature, SIGNATURE_BYTES),
  };
}

export function encodeVoucher({ channelId, maxClaimableAmount, signature }: Voucher): Wire<Voucher> {
  return { channelId, maxClaimableAmount: maxClaimableAmount.toString(), signature: encodeBase64(signature) };
}
