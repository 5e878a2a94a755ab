import { BoundedMap } from '@avm402/core/bounded-map';
import { isSettlement, type PaymentSummary, summaryOf } from './payment-summary.ts';
import type { RecordedSpan } from './recorded-span.ts';

/** Payments that are remembered; the oldest is forgotten first. */
const MAX_PAYMENTS = 500;
/** A buyer that reports nothing asks, signs and pays within this time. */
const BETWEEN_ASKING_AND_PAYING_MS = 30_000;
/** Most spans of one trace, so that a hostile trace can't take more. */
const MAX_SPANS = 1_000;
const CHECK_SPAN = 'x402.facilitator.verify';

/** The spans of a trace by their ids. */
type Trace = Map<string, RecordedSpan>;

/** Payments from the roles' spans: one for each trace, in the order in which they began. */
export class PaymentBook {
  readonly #traces = new BoundedMap<string, Trace>(MAX_PAYMENTS);
  /** Traces in which a seller only had something checked, which it also does while nobody buys. */
  readonly #checks = new BoundedMap<string, Trace>(MAX_PAYMENTS);

  /** Takes in spans of payments, from any role and in any order; returns whether there are any. */
  add(spans: readonly RecordedSpan[]): boolean {
    const ofPayments = spans.filter(({ name }) => name.startsWith('x402.'));
    for (const span of ofPayments) {
      const trace = this.#trace(span.traceId) ?? new Map<string, RecordedSpan>();
      if (trace.size >= MAX_SPANS) continue;
      trace.set(span.id, span);
      this.#keep(span.traceId, trace);
    }
    return ofPayments.length > 0;
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
    return withoutReportedSettlements(withoutAnsweredRequests(all));
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
    const ofIt = settlements.filter((one) => one.transaction === transaction && one.traceId !== traceId);
    return [...own, ...ofIt.flatMap((one) => this.spansOf(one.traceId))].toSorted(
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
function withoutReportedSettlements(all: readonly PaymentSummary[]): PaymentSummary[] {
  const reported = new Set(all.flatMap((one) => (isSettlement(one) ? [] : [one.transaction])));
  return all.filter((one) => !isSettlement(one) || one.transaction === undefined || !reported.has(one.transaction));
}

/** Whether the trace says only that a facilitator found something valid, which moves no money. */
function isPassedCheck(trace: Trace): boolean {
  return [...trace.values()].every(({ name, facts }) => name === CHECK_SPAN && facts['x402.outcome'] === 'valid');
}
