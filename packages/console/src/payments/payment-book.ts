import type { Facts, RecordedSpan } from './recorded-span.ts';

/** A payment in one line, from the roles that have reported it so far. */
export interface PaymentSummary {
  readonly traceId: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly durationMs: number;
  /** The request, e.g. `GET /weather`. */
  readonly asked: string;
  readonly outcome?: string;
  readonly amount?: string;
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
/** Most spans of one trace, so that a hostile trace can't take more. */
const MAX_SPANS = 1_000;
/** The spans whose outcome counts, most trusted first: the buyer's, then the seller's. */
const SPEAKERS = ['x402.fetch', 'x402.present', 'x402.ask', 'x402.serve', 'x402.settle', 'x402.facilitator.settle'];

/** Payments from the roles' spans: one for each trace, in the order in which they began. */
export class PaymentBook {
  readonly #traces = new Map<string, Map<string, RecordedSpan>>();

  /** Takes in spans of payments, from any role and in any order; returns the traces that have changed. */
  add(spans: readonly RecordedSpan[]): Set<string> {
    const changed = new Set<string>();
    for (const span of spans) {
      if (!span.name.startsWith('x402.')) continue;
      const trace = this.#traces.get(span.traceId) ?? new Map<string, RecordedSpan>();
      if (trace.size >= MAX_SPANS) continue;
      this.#traces.set(span.traceId, trace.set(span.id, span));
      changed.add(span.traceId);
    }
    const [oldest] = this.#traces.keys();
    if (this.#traces.size > MAX_PAYMENTS && oldest !== undefined) this.#traces.delete(oldest);
    return changed;
  }

  /** The payments in short, the latest first. */
  summaries(): PaymentSummary[] {
    return [...this.#traces.keys()]
      .map((traceId) => summaryOf(traceId, this.spansOf(traceId)))
      .toSorted((one, other) => other.from - one.from);
  }

  /** The spans in the order in which they began; empty for an unknown trace. */
  spansOf(traceId: string): RecordedSpan[] {
    return [...(this.#traces.get(traceId)?.values() ?? [])].toSorted((one, other) => one.from - other.from);
  }

  summaryOf(traceId: string): PaymentSummary {
    return summaryOf(traceId, this.spansOf(traceId));
  }
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
  return {
    traceId,
    from,
    durationMs: to - from,
    asked: askedFor(said),
    ...text('outcome', 'x402.outcome'),
    ...text('amount', 'x402.amount'),
    ...text('asset', 'x402.asset'),
    ...text('scheme', 'x402.scheme'),
    ...text('payer', 'x402.payer'),
    ...text('payTo', 'x402.pay_to'),
    ...text('transaction', 'x402.transaction'),
    ...(typeof status === 'number' && { status }),
  };
}

function askedFor(said: (fact: string) => string | number | boolean | undefined): string {
  const path = said('url.path');
  if (path === undefined) return String(said('http.route') ?? 'a payment');
  return `${String(said('http.request.method') ?? '')} ${String(path)}`.trim();
}
