import { X402Error } from '@avm402/core/errors';
import { groupFee } from './fee-cap.ts';
import type { ExactPayment } from './group-shape.ts';

/** What the sponsor may still spend on such a payment, `microAlgosLeft`, covers its fee. Throws X402Error `invalid_exact_avm_sponsor_budget`. */
export function checkSponsorBudget(exact: ExactPayment, microAlgosLeft: bigint): void {
  if (groupFee(exact) <= microAlgosLeft) return;
  throw new X402Error('invalid_exact_avm_sponsor_budget', {
    message: `the sponsor's budget for this payment is spent for today: ${microAlgosLeft} µAlgo are left`,
  });
}
