import { X402Error } from '@avm402/core/errors';
import type { VerifyResponse } from '@avm402/core/verify-response';
import { answerError, refuse } from './answers.ts';
import type { Exchange } from './exchange.ts';
import type { PaymentQuestion } from './facilitator/payment-question.ts';
import { serveClaimed } from './flows/serve-claimed.ts';
import { rerun, resume } from './flows/upfront.ts';
import { type MatchedOffer, matchPayment } from './match-payment.ts';
import { honouredOffers } from './offers/offers-for-request.ts';
import { type CarriedPayment, carriedPayment, carriesPayment } from './payment-header.ts';
import { type PaymentInRequest, questionAbout } from './payment-in-request.ts';
import type { Claim } from './redemption/claim.ts';
import type { ClaimOutcome, RecordedRequirements } from './redemption/claims.ts';
import { fingerprint } from './redemption/fingerprint.ts';
import type { Presentation } from './redemption/redemption.ts';
import { answerSettled } from './settled-payment.ts';

/**
 * The life of a request to a priced route: read the payment, check it, have it verified, claim it, run the handler,
 * settle, answer. Whatever goes wrong before the claim answers without running anything.
 */
export async function serve(exchange: Exchange): Promise<void> {
  try {
    const { request } = exchange;
    if (request.method === 'HEAD' || !carriesPayment(request)) {
      return await refuse(exchange, { reason: 'payment_required' });
    }
    await serveWithPayment(exchange);
  } catch (error) {
    await answerError(exchange, error);
  }
}

async function serveWithPayment(exchange: Exchange): Promise<void> {
  const { seller } = exchange;
  const { isPaymentIdRequired } = exchange.offers;
  const { maxHeaderBytes } = seller.options;
  const carried = carriedPayment(exchange.request, { maxHeaderBytes, isPaymentIdRequired });
  const presented = await presentation(exchange, carried);
  const recorded = await seller.claims.recorded(presented);
  const matched = recorded ? flowOf(recorded) : await offerFor(exchange, carried);
  const outcome = await seller.claims.take(presented, { requirements: matched.requirements, isVerified: false });
  if (outcome.decision !== 'unverified') return answer(exchange, { ...carried, presented, matched }, outcome);
  const claimable = recorded?.mayClaim === false ? await offerFor(exchange, carried) : matched;
  return verifyAndClaim(exchange, { ...carried, presented, matched: claimable });
}

async function verifyAndClaim(exchange: Exchange, payment: PaymentInRequest): Promise<void> {
  const { claims, options } = exchange.seller;
  const { presented, matched } = payment;
  const { requirements } = matched;
  const question = questionAbout(exchange, payment, requirements);
  const verdict = await verdictOn(exchange, payment, question);
  if (!verdict.isValid) return refuseInvalid(exchange, verdict);
  const { payer, txId } = presented;
  const refusal = await options.beforePayment?.({ payer, txId, requirements, context: exchange.context });
  if (refusal) throw new X402Error('payment_refused', { message: refusal.refuse });
  return answer(exchange, { ...payment, question }, await claims.take(presented, { requirements, isVerified: true }));
}

async function presentation({ request }: Exchange, { payment, paymentId }: CarriedPayment): Promise<Presentation> {
  const { txId, groupDigest, payer } = payment;
  if (paymentId === undefined) return { txId, groupDigest, payer };
  const asked = await fingerprint(request);
  return { txId, groupDigest, payer, paymentId, ...(asked === undefined ? {} : { fingerprint: asked }) };
}

/** Throws X402Error `no_matching_offer`. */
async function offerFor(exchange: Exchange, { payload }: CarriedPayment): Promise<MatchedOffer> {
  const matched = matchPayment(await honouredOffers(exchange), payload);
  if (matched === undefined) throw new X402Error('no_matching_offer');
  return matched;
}

/** A payment that is recorded is held to what it was claimed for, whatever the price is now. */
function flowOf({ requirements }: RecordedRequirements): MatchedOffer {
  return { requirements, flow: requirements.extra['paymentFlow'] === 'upfront' ? 'upfront' : 'authorization' };
}

function verdictOn(
  { seller }: Exchange,
  { presented }: PaymentInRequest,
  question: PaymentQuestion,
): Promise<VerifyResponse> {
  const { pool, verdicts, options } = seller;
  const key = `${presented.groupDigest} ${JSON.stringify(question.requirements)}`;
  return verdicts.judge(key, (signal) => pool.verify(question, { timeoutMs: options.verifyTimeoutMs, signal }));
}

function refuseInvalid(exchange: Exchange, { invalidReason, invalidMessage }: VerifyResponse): Promise<void> {
  return refuse(exchange, {
    reason: invalidReason ?? 'unexpected_verify_error',
    ...(invalidMessage === undefined ? {} : { message: invalidMessage }),
  });
}

async function answer(exchange: Exchange, payment: PaymentInRequest, outcome: ClaimOutcome): Promise<void> {
  switch (outcome.decision) {
    case 'claim':
      return working(exchange, outcome.claim, () => serveClaimed(exchange, payment, outcome.claim));
    case 'resume':
      return working(exchange, outcome.claim, () => resume(exchange, payment, outcome.claim));
    case 'rerun':
      return working(exchange, outcome.claim, () => rerun(exchange, payment, outcome.claim));
    case 'replay':
    case 'duplicate':
    case 'pending':
      return answerSettled(exchange, outcome);
    case 'conflict':
      throw new X402Error('payment_id_conflict');
    case 'exhausted':
      throw new X402Error('too_many_attempts');
    case 'unverified':
      throw new X402Error('settlement_pending');
  }
}

/** Counts a claimed payment for its payer while it is at work; a claim that nobody may work on is given back. */
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
