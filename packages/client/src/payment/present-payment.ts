import { isX402Error, X402Error } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import { discardBody } from '../http/discard-body.ts';
import { advance, type PaidRequest } from './paid-request.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import { startPatience } from '../http/patience.ts';
import { paymentOutcome } from '../own-node/payment-outcome.ts';
import type { ReplayableRequest } from '../http/replayable-request.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { sendPaid } from '../http/send-paid.ts';
import { knownSettlement, receiptOf } from './settlement.ts';
import type { Sleep } from '../http/sleep.ts';

export interface PresentOptions {
  readonly fetch: typeof fetch;
  readonly algodOf: AlgodOf;
  /** Time to find out what became of a payment once its answer is missing, ms. */
  readonly recoverMs: number;
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** The answer to a payment. */
export interface Presented {
  readonly paid: PaidRequest;
  readonly response: Response;
  /** By the seller's receipt, or by the own node. */
  readonly settlement: SettleResponse | undefined;
}

/** No answer came. */
interface Unanswered {
  readonly paid: PaidRequest;
  readonly failure: X402Error;
}

interface Answered {
  readonly response: Response;
  /** The seller's word. */
  readonly said: SettleResponse | undefined;
}

type Attempt = Answered | { readonly lost: unknown };

/** Answers that leave open whether the payment was settled. */
const UNFINISHED_STATUSES = [408, 425, 429, 502, 503, 504];
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const SHORTEST_ATTEMPT_MS = 1_000;

/**
 * Sends a request with its payment until an answer closes it. After a lost answer or an unknown outcome it sends the same
 * payment again; nothing that the seller says makes another one. Asks the buyer's own node whether the payment was
 * confirmed or has expired. `failure` is an X402Error `payment_settled_without_response`, `payment_outcome_unknown`, or
 * `request_failed` (the payment expired, so nothing was paid).
 * @throws X402Error `unsafe_redirect`; the signal's reason
 */
export async function presentPayment(
  request: ReplayableRequest,
  paid: PaidRequest,
  options: PresentOptions,
): Promise<Presented | Unanswered> {
  const attempt = await attemptUntilAnswered(request, paid, options);
  if ('lost' in attempt) {
    const seen = await askChain(paid, request.signal, options);
    return { paid: seen, failure: noAnswer(seen, attempt.lost) };
  }
  const { response, said } = attempt;
  if (said?.success === true) {
    return { paid: advance(paid, { event: 'receipt', receipt: said }), response, settlement: said };
  }
  // What was paid for is here: nothing has to wait for the own node.
  const seen = response.ok ? paid : await askChain(paid, request.signal, options);
  return { paid: seen, response, settlement: knownSettlement(seen, said) };
}

async function attemptUntilAnswered(
  request: ReplayableRequest,
  paid: PaidRequest,
  options: PresentOptions,
): Promise<Attempt> {
  const { now, sleep, recoverMs } = options;
  let deadline: number | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    // The first answer may take as long as it needs. Later ones have a limit: something is wrong.
    const limitMs = deadline === undefined ? undefined : Math.max(SHORTEST_ATTEMPT_MS, deadline - now());
    const attempt = await attemptOnce({ request, paid, limitMs }, options);
    const asked = whenAgain(attempt, now());
    if (asked === undefined) return attempt;
    deadline ??= now() + recoverMs;
    const wait = Math.max(pause, asked);
    if (now() + wait > deadline) return attempt;
    if ('response' in attempt) discardBody(attempt.response);
    await sleep(wait, request.signal);
  }
}

interface AttemptOptions {
  readonly request: ReplayableRequest;
  readonly paid: PaidRequest;
  /** Time for the answer to begin. */
  readonly limitMs: number | undefined;
}

async function attemptOnce(attempt: AttemptOptions, { fetch }: PresentOptions): Promise<Attempt> {
  const { request, paid, limitMs } = attempt;
  const { url, header } = paid.proof;
  const patience = limitMs === undefined ? undefined : startPatience(limitMs, request.signal);
  const signal = patience?.signal ?? request.signal;
  try {
    const { response, receipt } = await sendPaid(request, { url, header, fetch, signal });
    return { response, said: receiptOf(paid.payment, receipt) };
  } catch (lost) {
    request.signal?.throwIfAborted();
    if (isX402Error(lost)) throw withPayment(lost, paid);
    return { lost };
  } finally {
    patience?.disarm();
  }
}

/** Milliseconds until the same payment is sent again; undefined if the answer closes it. */
function whenAgain(attempt: Attempt, now: number): number | undefined {
  if ('lost' in attempt) return 0;
  const { response, said } = attempt;
  if (said?.success === true) return undefined;
  const isPending = said?.errorReason === 'settlement_pending';
  const isUnfinished = isPending || UNFINISHED_STATUSES.includes(response.status);
  return isUnfinished ? (retryAfterMs(response, now) ?? 0) : undefined;
}

async function askChain(
  paid: PaidRequest,
  signal: AbortSignal | undefined,
  { algodOf }: PresentOptions,
): Promise<PaidRequest> {
  const algod = algodOf(paid.payment.network);
  if (!algod) return paid;
  return advance(paid, { event: 'seen', outcome: await paymentOutcome(paid.payment, algod, signal) });
}

/** What to tell the caller when no answer came: by what the own node said. */
function noAnswer({ payment: { txId, lastValid }, state }: PaidRequest, cause: unknown): X402Error {
  const details = { transaction: txId, lastValid: Number(lastValid) };
  if (state === 'confirmed') {
    const message = `payment ${txId} settled, but the resource did not answer`;
    return new X402Error('payment_settled_without_response', { message, details, cause });
  }
  if (state === 'expired') {
    const message = `the resource did not answer; payment ${txId} expired, so nothing was paid`;
    return new X402Error('request_failed', { message, details, cause });
  }
  const message = `outcome of ${txId} not yet known: the resource did not answer; do not pay again`;
  return new X402Error('payment_outcome_unknown', { message, details, cause });
}

function withPayment(error: X402Error, { payment }: PaidRequest): X402Error {
  const details = { ...error.details, transaction: payment.txId };
  return new X402Error(error.code, { message: error.message, details, cause: error.cause });
}
