import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@x402/core/types';
import { errorReply } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { StoredResponse } from '../redemption/redemption.ts';
import type { HandlerOutcome, HeldAnswer } from '../response/held-answer.ts';

/** Time that a handler gets to finish after its client has left. */
const CLOSED_GRACE_MS = 15_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How a handler ended; `timeout`: its time was over; `gone`: nobody is left to get its answer. */
export type HandlerEnd = HandlerOutcome | { readonly kind: 'timeout' | 'gone' };

/** What decides how long a handler may take. */
export interface HandlerTerms {
  readonly requirements: PaymentRequirements;
  /** Whether a buyer who has left can come back for the answer. */
  readonly isAwaited: boolean;
}

/** Resolves when the handler has answered, when its time is over, or when nobody is left to get its answer. */
export function handlerEnd(
  { responder, seller }: Exchange,
  held: HeldAnswer,
  { requirements, isAwaited }: HandlerTerms,
): Promise<HandlerEnd> {
  const limit = Math.min(seller.options.handlerTimeoutMs ?? requirements.maxTimeoutSeconds * 1000, LONGEST_TIMER_MS);
  return new Promise((resolve) => {
    const timers = [setTimeout(() => end({ kind: 'timeout' }), limit)];
    const leave = (): void => {
      timers.push(setTimeout(() => end({ kind: 'gone' }), isAwaited ? CLOSED_GRACE_MS : 0));
    };
    const stopListening = responder.isClosed ? leave() : responder.onClose(leave);
    const end = (ended: HandlerEnd): void => {
      for (const timer of timers) clearTimeout(timer);
      stopListening?.();
      resolve(ended);
    };
    void held.outcome.then(end);
  });
}

/** Answers for a handler that costs nothing: its answer passes, or the reply says why there is none. */
export function answerUncharged(exchange: Exchange, held: HeldAnswer, ended: HandlerEnd, txId: string): void {
  if (ended.kind === 'timeout') held.replace(errorReply(new X402Error('handler_timeout')));
  else if (ended.kind === 'unholdable') {
    exchange.report({ type: 'failed', txId, error: ended.error });
    held.replace(errorReply(ended.error));
  } else if (ended.kind !== 'passed') held.discard();
}

/** A held answer as it is kept for its buyer; undefined if it is too large. */
export function storedResponse({ seller }: Exchange, held: HeldAnswer): StoredResponse | undefined {
  const { maxStoredBytes, storedForMs, now } = seller.options;
  return held.size > maxStoredBytes ? undefined : { ...held.answer(), keptUntil: now() + storedForMs };
}
