import { X402Error } from '@avm402/core/errors';
import { groupFee } from './fee-cap.ts';
import type { ExactPayment } from './group-shape.ts';

/** The budget for payments outside the list of sellers, `microAlgosLeft`, covers this one. Throws X402Error `invalid_exact_avm_sponsor_budget`. */
export function checkSponsorBudget(exact: ExactPayment, microAlgosLeft: bigint): void {
  if (groupFee(exact) <= microAlgosLeft) return;
  throw new X402Error('invalid_exact_avm_sponsor_budget', {
    message: 'the budget for sellers who are not on the list is spent for today',
  });
}
