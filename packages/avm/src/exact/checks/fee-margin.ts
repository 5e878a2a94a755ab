import { X402Error } from '@avm402/core/errors';
import { groupFee } from './fee-cap.ts';
import type { ExactPayment } from './group-shape.ts';

/** What the network asks for at the moment. */
export interface NetworkFees {
  /** µAlgo per byte; 0 while the network is not congested. */
  readonly fee: bigint;
  /** µAlgo per transaction, at least. */
  readonly minFee: bigint;
}

/** Bytes that a signature adds to a bare transaction: the maps around it and 64 bytes. */
const SIGNATURE_BYTES = 75n;

/**
 * A sponsored group pays at most a fifth more than the network asks for now: the rest would be given away.
 * Throws X402Error `invalid_exact_avm_fee_too_high`.
 */
export function checkFeeMargin(exact: ExactPayment, fees: NetworkFees): void {
  if (exact.feePayer === undefined) return;
  const sizes = [BigInt(exact.feePayer.member.bytes.length) + SIGNATURE_BYTES, BigInt(exact.transfer.bytes.length)];
  const required = sizes.map((size) => bigger(fees.fee * size, fees.minFee)).reduce((total, fee) => total + fee, 0n);
  const allowed = (required * 12n) / 10n;
  if (groupFee(exact) <= allowed) return;
  throw new X402Error('invalid_exact_avm_fee_too_high', {
    message: `the group pays ${groupFee(exact)} µAlgo of fees, the network asks for ${required}; up to ${allowed} are sponsored`,
  });
}

function bigger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
