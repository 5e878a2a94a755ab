import type { SettleResponse } from '@avm402/core/settle-response';
import { isX402Error } from '@avm402/core/errors';
import { discardBody } from './discard-body.ts';
import { startAnswerTimeout } from './answer-timeout.ts';
import type { ReplayableRequest } from './replayable-request.ts';
import { sendPaid } from './send-paid.ts';
import { type Sleep, startTimeLimit } from './waiting.ts';

export interface SendOptions {
  readonly fetch: typeof fetch;
  /** Time to find out what became of a payment once its answer is missing, ms. */
  readonly recoverMs: number;
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** A payment on its way: where it goes, its header, and which receipt is its own. */
export interface Carried {
  readonly url: string;
  readonly header: string;
  readonly receiptOf: (header: string | null) => SettleResponse | undefined;
}

export interface Answered {
  readonly response: Response;
  /** The seller's word. */
  readonly said: SettleResponse | undefined;
  /** Whether it answers a copy: the same payment was sent before, and may have been charged, whatever this says. */
  readonly isCopy?: boolean;
}

export type Attempt = Answered | { readonly lost: unknown };

/** Answers that leave open whether the payment was settled. */
const UNFINISHED_STATUSES = [408, 425, 429, 502, 503, 504];
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const SHORTEST_ATTEMPT_MS = 1_000;

/**
 * Sends a request with its payment until an answer closes it: after a lost answer or an unknown outcome it sends the same
 * bytes again.
 * @throws X402Error `unsafe_redirect`; the signal's reason
 */
export async function sendUntilAnswered(
  request: ReplayableRequest,
  carried: Carried,
  options: SendOptions,
): Promise<Attempt> {
  const { fetch, now, sleep, recoverMs } = options;
  let timeLeft: (() => number) | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    // The first answer may take as long as it needs. Later ones have a limit, because something went wrong.
    const limitMs = timeLeft && Math.max(SHORTEST_ATTEMPT_MS, timeLeft());
    const attempt = await attemptOnce(request, carried, { fetch, limitMs });
    const asked = whenAgain(attempt, now());
    if (asked === undefined) return attempt;
    timeLeft ??= startTimeLimit(recoverMs, now);
    const wait = Math.max(pause, asked);
    if (wait > timeLeft()) return attempt;
    if ('response' in attempt) discardBody(attempt.response);
    await sleep(wait, request.signal);
  }
}

interface AttemptOptions extends Pick<SendOptions, 'fetch'> {
  /** Time for the answer to begin. */
  readonly limitMs: number | undefined;
}

async function attemptOnce(
  request: ReplayableRequest,
  { url, header, receiptOf }: Carried,
  { fetch, limitMs }: AttemptOptions,
): Promise<Attempt> {
  const timeout = limitMs === undefined ? undefined : startAnswerTimeout(limitMs, request.signal);
  const signal = timeout?.signal ?? request.signal;
  try {
    const { response, receipt } = await sendPaid(request, { url, header, fetch, signal });
    return { response, said: receiptOf(receipt), isCopy: limitMs !== undefined };
  } catch (lost) {
    request.signal?.throwIfAborted();
    if (isX402Error(lost)) throw lost;
    return { lost };
  } finally {
    timeout?.disarm();
  }
}

/**
 * Whether an answer leaves open what became of the payment that came with the request. The response that was paid for may
 * come before the payment's block: then the same request has nothing more to get.
 */
export function leavesOpen(answer: Answered): boolean {
  const { response, said } = answer;
  if (said?.success === true || isEarly(answer)) return false;
  return said?.errorReason === 'settlement_pending' || UNFINISHED_STATUSES.includes(response.status);
}

/** Whether this is the response that was paid for, and its receipt says that the payment is not in a block yet. */
export function isEarly({ response, said }: Answered): boolean {
  return response.ok && said?.errorReason === 'settlement_pending';
}

/** Whether an answer is the response that was paid for. A redirect counts as one if the payment is settled. */
export function isDelivered({ ok, status }: Response, isSettled: boolean): boolean {
  return ok || (isSettled && status >= 300 && status < 400);
}

/** Milliseconds until the same payment is sent again; undefined if the answer closes it. */
function whenAgain(attempt: Attempt, now: number): number | undefined {
  if ('lost' in attempt) return 0;
  return leavesOpen(attempt) ? (retryAfterMs(attempt.response, now) ?? 0) : undefined;
}

/** Milliseconds to wait by `Retry-After`, in seconds or as a date (RFC 9110 §10.2.3); undefined without one. */
function retryAfterMs(response: Response, now: number): number | undefined {
  const value = response.headers.get('Retry-After');
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
