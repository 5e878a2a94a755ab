import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { ExactPayment } from './group-shape.ts';

/**
 * The fee is paid by the account that the offer names, and by nobody if it names none.
 * Throws X402Error `invalid_exact_avm_fee_payer_not_offered`, `invalid_exact_avm_fee_payer_mismatch`.
 */
export function checkFeePayerAccount(
  { feePayer }: ExactPayment,
  { accepted }: PaymentPayload,
  requirements: PaymentRequirements,
): void {
  if (feePayer === undefined) return;
  const offered = requirements.extra['feePayer'];
  if (typeof offered !== 'string') {
    throw new X402Error('invalid_exact_avm_fee_payer_not_offered', {
      message: 'the group has a fee payer, but the requirements name none in extra.feePayer',
    });
  }
  if (accepted.extra['feePayer'] !== offered || feePayer.transaction.sender !== offered) {
    throw new X402Error('invalid_exact_avm_fee_payer_mismatch', {
      message: `the fee payer must be ${offered} in the accepted offer and in the group`,
    });
  }
}
