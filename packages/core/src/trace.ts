import type { PaymentRequirements } from './payment-requirements.ts';
import type { SettleResponse } from './settle-response.ts';

/** Every span that a payment leaves; docs/telemetry.md describes them. */
export type SpanName =
  | 'x402.fetch'
  | 'x402.ask'
  | 'x402.sign'
  | 'x402.present'
  | 'x402.serve'
  | 'x402.offer'
  | 'x402.verify'
  | 'x402.handler'
  | 'x402.settle'
  | 'x402.facilitator.verify'
  | 'x402.facilitator.settle'
  | 'x402.phase.verify'
  | 'x402.phase.record'
  | 'x402.phase.submit'
  | 'x402.phase.confirm';

/**
 * What spans and their events record, in terms of x402; undefined members are not recorded. Never a signature, a key or
 * a payment id.
 */
export interface SpanFacts {
  readonly offer?: PaymentRequirements | undefined;
  readonly payer?: string | undefined;
  /** The transaction id, or another id of the payment. */
  readonly transaction?: string | undefined;
  /** A code of the catalogue, or a word from docs/telemetry.md. */
  readonly outcome?: string | undefined;
  /** A receipt, which gives outcome, transaction and payer. */
  readonly settlement?: SettleResponse | undefined;
  readonly requestId?: string | undefined;
  readonly route?: string | undefined;
  readonly method?: string | undefined;
  /** Recorded without its query. */
  readonly url?: string | undefined;
  /** Status of the answer. */
  readonly status?: number | undefined;
}

/** Events within a span; they are also reported to the seller. */
export type SpanEvent =
  `x402.${'offered' | 'claimed' | 'accepted' | 'settled' | 'lost' | 'replayed' | 'released' | 'closed' | 'pending' | 'failed'}`;

/** Headers of a message. Those of x402 are recorded, without their secrets. */
export interface TracedHeaders {
  get(name: string): string | null | undefined;
}

/** One place in a trace: spans started here become its children. Without a tracer nothing is recorded. */
export interface Trace {
  /** Headers for an outgoing request, so that its receiver continues this trace (W3C Trace Context). */
  readonly headers: Readonly<Record<string, string>>;
  /** Runs `work` within a span. If it throws, the span fails with the error's code. */
  span<T>(name: SpanName, facts: SpanFacts, work: (inside: Trace) => Promise<T>): Promise<T>;
  /** Records work that is already done as a span. Times are in milliseconds since 1970. */
  past(name: SpanName, facts: SpanFacts, time: { readonly from: number; readonly to: number }): void;
  /** Adds facts to the span. */
  note(facts: SpanFacts): void;
  /** Records that something happened. */
  event(name: SpanEvent, facts: SpanFacts): void;
  /** Runs a check. With details, records that it passed, or the code with which it failed. */
  check<T>(check: string, work: () => Promise<T>): Promise<T>;
  /** Adds a message's facts to the span; with details, also records the message. */
  message(direction: 'sent' | 'received', facts: SpanFacts, headers?: TracedHeaders): void;
}

/** A trace that records nothing. */
export const noTrace: Trace = {
  headers: {},
  span: (_name, _facts, work) => work(noTrace),
  past() {},
  note() {},
  event() {},
  check: (_check, work) => work(),
  message() {},
};
