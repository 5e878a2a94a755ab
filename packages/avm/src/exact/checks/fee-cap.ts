import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** µAlgo that all transactions of the group pay together. */
export function groupFee({ feePayer, transferTransaction }: ExactPayment): bigint {
  return transferTransaction.fee + (feePayer?.transaction.fee ?? 0n);
}

/** A sponsored group costs at most `maxFee` µAlgo. Throws X402Error `invalid_exact_avm_fee_too_high`. */
export function checkFeeCap(exact: ExactPayment, maxFee: bigint): void {
  if (exact.feePayer === undefined || groupFee(exact) <= maxFee) return;
  throw new X402Error('invalid_exact_avm_fee_too_high', {
    message: `the group pays ${groupFee(exact)} µAlgo of fees, at most ${maxFee} are sponsored`,
  });
}
