import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** Fee payer and payment are valid in the same rounds. Throws X402Error `invalid_exact_avm_invalid_fee_payer`. */
export function checkFeePayerWindow({ feePayer, transferTransaction }: ExactPayment): void {
  if (feePayer === undefined) return;
  const { firstValid, lastValid } = feePayer.transaction;
  if (firstValid === transferTransaction.firstValid && lastValid === transferTransaction.lastValid) return;
  throw new X402Error('invalid_exact_avm_invalid_fee_payer', {
    message: "the fee payer's transaction must have the validity window of the payment",
  });
}
