import type { PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../exchange/exchange.ts';
import type { PaymentFlow } from '../offers/payment-options.ts';
import { runThenAccept } from './accepted.ts';
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
  return FLOWS[flowOf(exchange, requirements)](exchange, payment, claim);
}

type ServePayment = (exchange: Exchange, payment: PresentedPayment, claim: Claim) => Promise<void>;

/** How a claimed payment is served, by its flow. */
const FLOWS: Readonly<Record<PaymentFlow, ServePayment>> = {
  authorization: runThenSettle,
  upfront: settleThenRun,
  accepted: runThenAccept,
};

/** The flow that the offer of a payment sets. */
function flowOf({ offers }: Exchange, requirements: PaymentRequirements): PaymentFlow {
  if (isUpfront(requirements.extra)) return 'upfront';
  return offers.isAccepted(requirements) ? 'accepted' : 'authorization';
}

/** Whether an offer's `extra` says that payments are settled before the handler runs. */
export function isUpfront(extra: PaymentRequirements['extra']): boolean {
  return extra['paymentFlow'] === 'upfront';
}
