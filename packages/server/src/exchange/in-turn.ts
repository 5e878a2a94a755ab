import { setTimeout } from 'node:timers/promises';
import { peerOf } from '@avm402/core/peer';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { PaymentQuestion } from '../facilitator/payment-question.ts';
import type { Exchange } from './exchange.ts';

/** Longest turn of a request that settles: a payment that is not refused by then waits for its block. */
const LONGEST_TURN_MS = 250;

/**
 * Has a payment verified, in turn. Requests with the same bytes, and so the same `groupDigest`, share a verdict.
 * @throws X402Error `verification_overloaded`, `facilitator_unreachable`, `facilitator_bad_answer`,
 * `facilitator_mismatch`
 */
export function verifyInTurn(
  { request, responder, seller, trace }: Exchange,
  groupDigest: string,
  question: PaymentQuestion,
): Promise<VerifyResponse> {
  const { requirements } = question;
  const { pool, verdicts, options } = seller;
  const key = `${groupDigest} ${JSON.stringify(requirements)}`;
  const asker = { peer: peerOf(request.address), isThere: () => !responder.isClosed };
  return verdicts.judge(key, asker, () =>
    trace.span('x402.verify', { offer: requirements }, async (inside) => {
      const verdict = await pool.verify(question, options.verifyTimeoutMs, inside);
      inside.note({ outcome: verdict.isValid ? 'valid' : (verdict.invalidReason ?? 'invalid') });
      return verdict;
    }),
  );
}

/**
 * Settles in turn with everything else that is asked of facilitators before anything is known to be paid.
 * @throws X402Error `verification_overloaded`, and whatever `work` throws
 */
export async function settleInTurn<T>(
  { request, responder, seller }: Pick<Exchange, 'request' | 'responder' | 'seller'>,
  work: () => Promise<T>,
): Promise<T> {
  const isThere = (): boolean => !responder.isClosed;
  const { atWork } = await seller.queue.do(peerOf(request.address), isThere, async () => {
    const begun = work();
    await Promise.race([begun, setTimeout(LONGEST_TURN_MS, undefined, { ref: false })]);
    // Wrapped in an object, so that the turn does not wait for the promise.
    return { atWork: begun };
  });
  return atWork;
}
