import type { PaymentPayload } from '@avm402/core/payment-payload';
import { groupShape } from './checks/group.ts';
import { parsePaymentGroup } from './payment.ts';

/**
 * A copy of the payload whose `accepted` names the fee payer of its group. Some clients omit the offer's `extra`. Which
 * offer is meant, and whether it has this fee payer, is then decided as for all other payments.
 * @throws X402Error with a wire reason (`invalid_exact_avm_*`) for a group that can't be read
 */
export function withNamedFeePayer(payload: PaymentPayload): PaymentPayload {
  const { accepted } = payload;
  if (accepted.extra['feePayer'] !== undefined) return payload;
  const { feePayer } = groupShape(parsePaymentGroup(payload.payload));
  if (feePayer === undefined) return payload;
  const extra = { ...accepted.extra, feePayer: feePayer.transaction.sender };
  return { ...payload, accepted: { ...accepted, extra } };
}
