import { BoundedMap } from '@avm402/core/bounded-map';
import { z } from 'zod';
import { messageIn } from './reported-message.ts';
import type { Facts, RecordedSpan } from './recorded-span.ts';
import { type Standing, standingOf } from './standing.ts';

/** A payment in one line, from the roles that have reported it so far. */
export interface PaymentSummary {
  readonly traceId: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly durationMs: number;
  /** The request, e.g. `GET /weather`. */
  readonly asked: string;
  readonly outcome?: string;
  readonly standing: Standing;
  /** The most that it may cost, in atomic units. */
  readonly amount?: string;
  /** What it did cost, if that is known and less. */
  readonly charged?: string;
  readonly asset?: string;
  readonly scheme?: string;
  readonly payer?: string;
  readonly payTo?: string;
  readonly transaction?: string;
  /** HTTP status of the last answer. */
  readonly status?: number;
}

/** Payments that are remembered; the oldest is forgotten first. */
const MAX_PAYMENTS = 500;
/** A buyer that reports nothing asks, signs and pays within this time. */
const BETWEEN_ASKING_AND_PAYING_MS = 30_000;
/** Most spans of one trace, so that a hostile trace can't take more. */
const MAX_SPANS = 1_000;
const CHECK_SPAN = 'x402.facilitator.verify';
/** What a trace is called in which only a facilitator tells of a settlement. */
const SETTLEMENT = 'Settlement for a seller';
/** The spans whose outcome counts, most trusted first: the buyer's, then the seller's. */
const SPEAKERS = ['x402.fetch', 'x402.present', 'x402.ask', 'x402.serve', 'x402.settle', 'x402.facilitator.settle'];

/** The spans of a trace by their ids. */
type Trace = Map<string, RecordedSpan>;

/** Payments from the roles' spans: one for each trace, in the order in which they began. */
export class PaymentBook {
  readonly #traces = new BoundedMap<string, Trace>(MAX_PAYMENTS);
  /** Traces in which a seller only had something checked, which it does while nobody buys, too. */
  readonly #checks = new BoundedMap<string, Trace>(MAX_PAYMENTS);

  /** Takes in spans of payments, from any role and in any order; returns the traces that have changed. */
  add(spans: readonly RecordedSpan[]): Set<string> {
    const changed = new Set<string>();
    for (const span of spans) {
      if (!span.name.startsWith('x402.')) continue;
      const trace = this.#trace(span.traceId) ?? new Map<string, RecordedSpan>();
      if (trace.size >= MAX_SPANS) continue;
      trace.set(span.id, span);
      this.#keep(span.traceId, trace);
      changed.add(span.traceId);
    }
    return changed;
  }

  #trace(traceId: string): Trace | undefined {
    return this.#traces.get(traceId) ?? this.#checks.get(traceId);
  }

  /** A check becomes a payment with the first span that tells of more, because roles report in any order. */
  #keep(traceId: string, trace: Trace): void {
    if (this.#traces.has(traceId)) return;
    if (!isPassedCheck(trace)) {
      this.#checks.delete(traceId);
      this.#traces.set(traceId, trace);
    } else if (!this.#checks.has(traceId)) this.#checks.set(traceId, trace);
  }

  /**
   * The payments in short, the latest first. A request that got a 402 is part of the payment that answers it, a
   * facilitator's settlement is part of what a buyer or a seller reports of its transaction, and a check alone is none.
   */
  summaries(): PaymentSummary[] {
    const all = [...this.#traces.keys()]
      .map((traceId) => summaryOf(traceId, this.spansOf(traceId)))
      .toSorted((one, other) => other.from - one.from);
    return withoutToldSettlements(withoutAnsweredRequests(all));
  }

  /** The spans in the order in which they began; empty for an unknown trace. */
  spansOf(traceId: string): RecordedSpan[] {
    return [...(this.#trace(traceId)?.values() ?? [])].toSorted((one, other) => one.from - other.from);
  }

  summaryOf(traceId: string): PaymentSummary {
    return summaryOf(traceId, this.spansOf(traceId));
  }

  /** The spans of a trace, and those of the facilitator that has settled its transaction in a trace of its own. */
  storyOf(traceId: string): RecordedSpan[] {
    const own = this.spansOf(traceId);
    const { transaction } = this.summaryOf(traceId);
    if (transaction === undefined) return own;
    const settlements = [...this.#traces.keys()].map((other) => this.summaryOf(other)).filter(isSettlement);
    const told = settlements.filter((one) => one.transaction === transaction && one.traceId !== traceId);
    return [...own, ...told.flatMap((one) => this.spansOf(one.traceId))].toSorted(
      (one, other) => one.from - other.from,
    );
  }
}

/**
 * A buyer that reports no spans makes two traces: one for the request that is answered with an offer, and one for the
 * request that pays. They are one payment if the same was asked for soon before.
 * @param latestFirst payments in short
 */
function withoutAnsweredRequests(latestFirst: readonly PaymentSummary[]): PaymentSummary[] {
  const answered = new Set<string>();
  for (const [index, paying] of latestFirst.entries()) {
    if (paying.payer === undefined || paying.standing === 'asked') continue;
    const request = latestFirst
      .slice(index + 1)
      .find((one) => one.standing === 'asked' && one.asked === paying.asked && !answered.has(one.traceId));
    if (request && paying.from - request.from <= BETWEEN_ASKING_AND_PAYING_MS) answered.add(request.traceId);
  }
  return latestFirst.filter(({ traceId }) => !answered.has(traceId));
}

/** A seller that closes a channel asks for the settlement outside the buyer's request, in a trace of its own. */
function withoutToldSettlements(all: readonly PaymentSummary[]): PaymentSummary[] {
  const told = new Set(all.flatMap((one) => (isSettlement(one) ? [] : [one.transaction])));
  return all.filter((one) => !isSettlement(one) || one.transaction === undefined || !told.has(one.transaction));
}

/** Whether only a facilitator tells of it. */
function isSettlement({ asked }: PaymentSummary): boolean {
  return asked === SETTLEMENT;
}

/** Whether all that is told is that a facilitator found something valid, which moves no money. */
function isPassedCheck(trace: Trace): boolean {
  return [...trace.values()].every(({ name, facts }) => name === CHECK_SPAN && facts['x402.outcome'] === 'valid');
}

const atomic = z.string().regex(/^\d{1,20}$/);
/** What a receipt says was charged. */
const charge = z
  .object({ amount: atomic.optional(), extra: z.object({ chargedAmount: atomic.optional() }).optional() })
  .transform(({ amount, extra }) => extra?.chargedAmount ?? amount);

/** A buyer's wish to close a channel, which is sent as a payment for one of its routes. */
const wishToClose = z.object({ payload: z.object({ type: z.literal('refund') }) });
/** What a receipt says of the transaction that closes. */
const closing = z.object({ transaction: z.string().max(128) });

function closesChannel(spans: readonly RecordedSpan[]): boolean {
  return messageIn(messagesOf(spans), 'PAYMENT-SIGNATURE', wishToClose) !== undefined;
}

/** A close in one line: it buys nothing, so that it has no price. */
function asClose(summary: PaymentSummary, spans: readonly RecordedSpan[]): PaymentSummary {
  const { amount: _, charged: __, ...withoutPrice } = summary;
  const { transaction } = messageIn(messagesOf(spans), 'PAYMENT-RESPONSE', closing) ?? {};
  return {
    ...withoutPrice,
    asked: `Close the channel of ${summary.asked}`,
    standing: summary.standing === 'paid' ? 'closed' : summary.standing,
    ...(transaction !== undefined && { transaction }),
  };
}

const messagesOf = (spans: readonly RecordedSpan[]): RecordedSpan['events'] => spans.flatMap(({ events }) => events);

/** What was charged, if a role reports it. */
function chargedIn(spans: readonly RecordedSpan[]): Facts {
  const charged = messageIn(messagesOf(spans), 'PAYMENT-RESPONSE', charge);
  return charged === undefined ? {} : { charged };
}

function summaryOf(traceId: string, spans: readonly RecordedSpan[]): PaymentSummary {
  const from = Math.min(...spans.map((span) => span.from));
  const to = Math.max(...spans.map((span) => span.to));
  const byWeight = SPEAKERS.flatMap((name) => spans.filter((span) => span.name === name).toReversed());
  const said = (fact: string) => [...byWeight, ...spans].find(({ facts }) => facts[fact] !== undefined)?.facts[fact];
  const text = (name: string, fact: string): Facts => {
    const value = said(fact);
    return value === undefined ? {} : { [name]: String(value) };
  };
  const status = said('http.response.status_code');
  const summary: PaymentSummary = {
    traceId,
    from,
    durationMs: to - from,
    asked: askedFor(said, spans),
    ...text('outcome', 'x402.outcome'),
    standing: standingOf(String(said('x402.outcome') ?? ''), typeof status === 'number' ? status : 0),
    ...(isOfMaximum(said) ? {} : text('amount', 'x402.amount')),
    ...chargedIn(spans),
    ...text('asset', 'x402.asset'),
    ...text('scheme', 'x402.scheme'),
    ...text('payer', 'x402.payer'),
    ...text('payTo', 'x402.pay_to'),
    ...text('transaction', 'x402.transaction'),
    ...(typeof status === 'number' && { status }),
  };
  return closesChannel(spans) ? asClose(summary, spans) : summary;
}

/** Whether a trace tells only that a channel or a maximum was settled: what its offer asks for is not what that moved. */
function isOfMaximum(said: (fact: string) => unknown): boolean {
  return said('url.path') === undefined && said('x402.scheme') !== 'exact';
}

/** What was asked for; of a trace in which no request is reported, what was done. */
function askedFor(
  said: (fact: string) => string | number | boolean | undefined,
  spans: readonly RecordedSpan[],
): string {
  const path = said('url.path');
  if (path === undefined) {
    const isSettled = spans.some(({ name }) => name === 'x402.facilitator.settle');
    return String(said('http.route') ?? (isSettled ? SETTLEMENT : 'Check for a seller'));
  }
  return `${String(said('http.request.method') ?? '')} ${String(path)}`.trim();
}
