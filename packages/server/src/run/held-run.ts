import { LONGEST_TIMER_MS } from '@avm402/core/durations';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@x402/core/types';
import { errorReply } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { OfferCorrection } from '../offers/offer.ts';
import type { HandlerOutcome, HeldAnswer, StoredResponse } from '../response/held-answer.ts';
import { unholdable } from '../response/held-body.ts';
import { Meter, meterAnswer } from './charge.ts';
import { type Outgoing, letGo, withheld } from './let-go.ts';
import { MeteredStream, type StreamPayment } from './metered-stream.ts';

/** Time that a handler gets to finish after its client has left. */
const CLOSED_GRACE_MS = 15_000;

/** How a handler ended; `timeout`: its time was over; `gone`: nobody is left to get its answer. */
type HandlerEnd = HandlerOutcome | { readonly kind: 'timeout' | 'gone' };

/** How the answer of a run is paid for. Amounts are atomic units. */
export interface AnswerPayment {
  /** How reports name the payment. */
  readonly names: { readonly txId: string; readonly payer: string; readonly channelId?: string };
  readonly requirements: PaymentRequirements;
  /** Most that the answer may cost. */
  readonly maximum: bigint;
  /** Whether the handler says how much of it is charged. */
  readonly isMetered: boolean;
  /** Whether a buyer who has left can come back for the answer. */
  readonly isAwaited: boolean;
  /** Charges an event stream while it runs; if absent, streams are not charged. */
  readonly stream?: StreamPayment;
  /**
   * Charges what the answer costs, before anything of it leaves. `stored` is the answer as it may be kept for its buyer;
   * absent if nobody can come back for it, or if it is too large.
   */
  end(cost: bigint, stored: StoredResponse | undefined): Promise<Outgoing>;
  /** Gives back what was not charged. Does nothing once the charge has ended. */
  release(): Promise<void> | void;
  /** What to tell a buyer whose charge was refused. */
  readonly correction?: () => OfferCorrection;
}

interface Run {
  readonly payment: AnswerPayment;
  readonly held: HeldAnswer;
  readonly meter: Meter | undefined;
  readonly stream: MeteredStream | undefined;
}

/**
 * Runs the handler, holds its answer, charges, and only then lets the answer go. A failed handler costs nothing.
 * @throws X402Error `response_not_settleable` for a WebSocket, before the handler runs
 */
export async function heldRun(exchange: Exchange, payment: AnswerPayment): Promise<void> {
  const { request, responder, seller } = exchange;
  const share = seller.heldBytes.share(payment.names.payer);
  let uncharged: { readonly held: HeldAnswer; readonly ended: HandlerEnd } | undefined;
  try {
    if (asksForWebSocket(request)) throw unholdable('it is a WebSocket');
    const meter = payment.isMetered ? new Meter(payment.maximum) : undefined;
    if (meter) meterAnswer(responder.subject, meter);
    const stream = meter && payment.stream && new MeteredStream(responder, payment.stream, meter);
    const { maxHeldBytes: maxBytes } = seller.options;
    const { held, ended } = await exchange.trace.span('x402.handler', {}, async () => {
      const answer = responder.runHeld({ maxBytes, share, ...(stream && { streams: stream }) });
      return { held: answer, ended: await handlerEnd(exchange, answer, payment) };
    });
    const isCharged = await chargeAnswer(exchange, { payment, held, meter, stream }, ended);
    if (!isCharged) uncharged = { held, ended };
  } finally {
    await payment.release();
    // The connection holds a released answer in memory until its client has read it.
    responder.onClose(() => share.free());
  }
  if (uncharged === undefined) return;
  const { held, ended } = uncharged;
  exchange.report({ type: 'released', ...payment.names, code: ended.kind });
  answerUncharged(exchange, held, ended, payment.names.txId);
}

/** Whether the handler may answer by a WebSocket, for which it takes the connection over: nothing of that can be held. */
export function asksForWebSocket(request: Exchange['request']): boolean {
  return /\bwebsocket\b/i.test(request.header('upgrade') ?? '');
}

/** Resolves to whether there was something to charge. */
async function chargeAnswer(exchange: Exchange, run: Run, ended: HandlerEnd): Promise<boolean> {
  const { payment, stream, meter, held } = run;
  const isLost = exchange.responder.isClosed && !payment.isAwaited;
  if (ended.kind !== 'streaming' && (ended.kind !== 'ended' || isLost)) return false;
  try {
    if (ended.kind === 'streaming') {
      await stream?.over;
      exchange.report({ type: 'settled', ...payment.names });
    } else {
      const stored = payment.isAwaited ? storedResponse(exchange, held) : undefined;
      await letGo(exchange, held, payment.names.txId, await payment.end(meter?.take() ?? payment.maximum, stored));
    }
  } catch (error) {
    exchange.report({ type: 'failed', txId: payment.names.txId, error });
    // Once a part of a stream has left, only a broken connection tells the client that the rest will not come.
    held.replace(await withheld(exchange, error, payment.correction?.()));
  }
  return true;
}

/** Resolves when the handler has answered, when its time is over, or when nobody is left to get its answer. */
export function handlerEnd(
  { responder, seller }: Exchange,
  held: HeldAnswer,
  { requirements, isAwaited }: Pick<AnswerPayment, 'requirements' | 'isAwaited'>,
): Promise<HandlerEnd> {
  const limit = Math.min(seller.options.handlerTimeoutMs ?? requirements.maxTimeoutSeconds * 1000, LONGEST_TIMER_MS);
  return new Promise((resolve) => {
    const timers = [setTimeout(() => end({ kind: 'timeout' }), limit)];
    const leave = (): void => {
      timers.push(setTimeout(() => end({ kind: 'gone' }), isAwaited ? CLOSED_GRACE_MS : 0));
    };
    const stopListening = responder.onClose(leave);
    const end = (ended: HandlerEnd): void => {
      for (const timer of timers) clearTimeout(timer);
      stopListening();
      resolve(ended);
    };
    void held.outcome.then(end);
  });
}

/** Answers for a handler that costs nothing: its answer passes, or the reply says why there is none. */
function answerUncharged(exchange: Exchange, held: HeldAnswer, ended: HandlerEnd, txId: string): void {
  if (ended.kind === 'timeout') held.replace(errorReply(new X402Error('handler_timeout')));
  else if (ended.kind === 'unholdable') {
    exchange.report({ type: 'failed', txId, error: ended.error });
    held.replace(errorReply(ended.error));
  } else if (ended.kind !== 'passed') held.discard();
}

/** A held answer as it is kept for its buyer; undefined if it is too large. */
export function storedResponse({ seller }: Exchange, held: HeldAnswer): StoredResponse | undefined {
  const { maxStoredBytes, storedForMs, now } = seller.options;
  return held.size > maxStoredBytes ? undefined : { ...held.answer, keptUntil: now() + storedForMs };
}
