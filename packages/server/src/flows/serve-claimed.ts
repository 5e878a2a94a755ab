import type { Exchange } from '../exchange.ts';
import type { PaymentInRequest } from '../payment-in-request.ts';
import type { Claim } from '../redemption/claim.ts';
import { runThenSettle } from './authorization.ts';
import { record } from './settle-claim.ts';
import { settleThenRun } from './upfront.ts';

/** Serves a payment that this request has claimed, in the order that its offer names. */
export async function serveClaimed(exchange: Exchange, payment: PaymentInRequest, claim: Claim): Promise<void> {
  if (exchange.response.closed) return record(exchange, claim, claim.unstarted());
  const { txId, payer } = claim.redemption;
  exchange.report({ type: 'claimed', txId, payer });
  const isUpfront = payment.matched.flow === 'upfront';
  return isUpfront ? settleThenRun(exchange, payment, claim) : runThenSettle(exchange, payment, claim);
}
