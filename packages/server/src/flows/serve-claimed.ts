import { X402Error } from '@avm402/core/errors';
import type { Exchange } from '../exchange/exchange.ts';
import type { PaymentFlow } from '../offers/route-option.ts';
import { acceptHeld } from './accepted.ts';
import type { PresentedPayment } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import type { ClaimOutcome } from '../redemption/claims.ts';
import { runThen, settleHeld } from './authorization.ts';
import { rerun, resume } from './returning-buyer.ts';
import { record } from './settle-claim.ts';
import { answerSettled } from './settled-payment.ts';
import { settleThenRun } from './upfront.ts';

type ServePayment = (exchange: Exchange, payment: PresentedPayment, claim: Claim) => Promise<void>;

/** How a claimed payment is served, by its flow. */
const FLOWS: Readonly<Record<PaymentFlow, ServePayment>> = {
  authorization: runThen(settleHeld),
  upfront: settleThenRun,
  accepted: runThen(acceptHeld),
};

/**
 * Serves a request by what became of its payment: a request that claimed it goes on, any other is answered.
 * @throws X402Error `payment_id_conflict`, `too_many_attempts`, `too_many_payments_in_flight`
 */
export async function serveOutcome(
  exchange: Exchange,
  payment: PresentedPayment,
  outcome: ClaimOutcome,
): Promise<void> {
  switch (outcome.decision) {
    case 'claim':
      return working(exchange, outcome.claim, () => serveClaimed(exchange, payment, outcome.claim));
    case 'resume':
      return working(exchange, outcome.claim, () => resume(exchange, payment, outcome.claim));
    case 'rerun':
      return working(exchange, outcome.claim, () => rerun(exchange, outcome.claim));
    case 'replay':
    case 'duplicate':
    case 'pending':
      return answerSettled(exchange, outcome);
    case 'conflict':
      throw new X402Error('payment_id_conflict');
    case 'exhausted':
      throw new X402Error('too_many_attempts');
  }
}

/** Counts a claimed payment for its payer while it is at work. A claim that exceeds the payer's limit is given back. */
async function working({ seller }: Exchange, claim: Claim, work: () => Promise<void>): Promise<void> {
  let leave: () => void;
  try {
    leave = seller.payers.enter(claim.redemption.payer, seller.options.maxPaymentsPerPayer);
  } catch (error) {
    await claim.unstarted();
    throw error;
  }
  try {
    await work();
  } catch (error) {
    claim.abandon();
    throw error;
  } finally {
    leave();
  }
}

/** Serves a payment that this request has claimed, in the order that its offer sets. */
async function serveClaimed(exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<void> {
  if (exchange.responder.isClosed) return void (await record(exchange, claim, () => claim.unstarted()));
  const { txId, payer, requirements } = claim.redemption;
  exchange.report({ type: 'claimed', txId, payer });
  return FLOWS[exchange.offers.flowOf(requirements)](exchange, payment, claim);
}
