import type { PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../exchange/exchange.ts';
import type { PresentedPayment } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import { runThenSettle } from './authorization.ts';
import { record } from './settle-claim.ts';
import { settleThenRun } from './upfront.ts';

/** Serves a payment that this request has claimed, in the order that its offer sets. */
export async function serveClaimed(exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<void> {
  if (exchange.responder.isClosed) return void (await record(exchange, claim, claim.unstarted()));
  const { txId, payer, requirements } = claim.redemption;
  exchange.report({ type: 'claimed', txId, payer });
  return isUpfront(requirements.extra)
    ? settleThenRun(exchange, payment, claim)
    : runThenSettle(exchange, payment, claim);
}

/** Whether an offer's `extra` says that payments are settled before the handler runs. */
export function isUpfront(extra: PaymentRequirements['extra']): boolean {
  return extra['paymentFlow'] === 'upfront';
}
