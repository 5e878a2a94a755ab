import { X402Error } from '@avm402/core/errors';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { refuse } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { rerun, resume } from './returning-buyer.ts';
import { isUpfront, serveClaimed } from './serve-claimed.ts';
import { settlingInTurn } from '../exchange/settling-in-turn.ts';
import { matchPayment } from '../offers/match-payment.ts';
import { honouredOffers } from '../exchange/offers-for-request.ts';
import { guardPayment } from '../exchange/payment-guard.ts';
import { questionAbout } from '../exchange/payment-in-request.ts';
import { authorizedBy, type PresentedPayment, type ReadPayment, withFingerprint } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import type { ClaimOutcome, MatchedPayment } from '../redemption/claims.ts';
import { peerOf } from '../request/peer.ts';
import { answerSettled } from './settled-payment.ts';

/**
 * The life of a request with a payment that is redeemed once: look up what is known of the payment, have it verified,
 * claim it, run the handler, settle, answer. Errors before the claim are thrown, and then nothing has run.
 */
export async function redeem(exchange: Exchange, payload: PaymentPayload, read: ReadPayment): Promise<void> {
  const { seller, trace } = exchange;
  const { claims } = seller;
  const presented = await trace.check('terms', async () => read(exchange, payload));
  // Signatures cost more than all other checks, so a stranger's is verified only if there is an offer that it may pay.
  const find = () => trace.check('offer', () => offerFor(exchange, presented));
  const offer = (await claims.isKnown(presented)) ? undefined : await find();
  await trace.check('signature', async () => presented.checkSignature());
  const payment = await withFingerprint(exchange, presented);
  const seen = await claims.look(payment);
  if (seen.decision !== 'free') return answer(exchange, payment, seen);
  const requirements = seen.requirements ? authorizedBy(payment, seen.requirements) : (offer ?? (await find()));
  trace.note({ offer: requirements, payer: payment.payer });
  const goOn = async (): Promise<void> =>
    answer(exchange, payment, await claimMatched(exchange, payment, { ...seen, requirements }));
  if (isSettledAlone(exchange, payment, requirements)) return settlingInTurn(exchange, goOn);
  const verdict = await verdictOn(exchange, payment, requirements);
  return verdict.isValid ? goOn() : refuseInvalid(exchange, verdict);
}

/**
 * Whether to ask for settlement without verification, because settle verifies anyway. Not if only
 * the chain can tell that the payer agreed: a copy by anybody who says so must not claim the TxID of the genuine
 * payment.
 */
function isSettledAlone(
  { seller }: Exchange,
  { isJudgedByChain }: PresentedPayment,
  requirements: PaymentRequirements,
): boolean {
  return isUpfront(requirements.extra) && !isJudgedByChain && seller.pool.settlesAlone(requirements);
}

/** @throws X402Error `no_matching_offer` */
async function offerFor(exchange: Exchange, { payload }: PresentedPayment): Promise<PaymentRequirements> {
  const requirements = matchPayment(await honouredOffers(exchange), payload);
  if (requirements === undefined) throw new X402Error('no_matching_offer');
  return requirements;
}

function verdictOn(
  exchange: Exchange,
  payment: PresentedPayment,
  requirements: PaymentRequirements,
): Promise<VerifyResponse> {
  const { request, responder, seller } = exchange;
  const { pool, verdicts, options } = seller;
  const question = questionAbout(exchange, payment, requirements);
  const key = `${payment.groupDigest} ${JSON.stringify(requirements)}`;
  const asker = { peer: peerOf(request), isThere: () => !responder.isClosed };
  return verdicts.judge(key, asker, () =>
    exchange.trace.span('x402.verify', { offer: requirements }, async (inside) => {
      const verdict = await pool.verify(question.within(inside), options.verifyTimeoutMs);
      inside.note({ outcome: verdict.isValid ? 'valid' : (verdict.invalidReason ?? 'invalid') });
      return verdict;
    }),
  );
}

function refuseInvalid(exchange: Exchange, { invalidReason, invalidMessage }: VerifyResponse): Promise<void> {
  return refuse(exchange, {
    reason: invalidReason ?? 'unexpected_verify_error',
    ...(invalidMessage !== undefined && { message: invalidMessage }),
  });
}

/** Claims a payment that was found valid, unless the seller's own guard refuses it. */
async function claimMatched(
  exchange: Exchange,
  payment: PresentedPayment,
  matched: MatchedPayment,
): Promise<ClaimOutcome> {
  const { seller, context } = exchange;
  await guardPayment(seller.options.beforePayment, { ...payment, ...matched, context });
  return seller.claims.claim(payment, matched);
}

async function answer(exchange: Exchange, payment: PresentedPayment, outcome: ClaimOutcome): Promise<void> {
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
