import type { PaymentRequirements } from './payment-requirements.ts';
import type { SettleResponse } from './settle-response.ts';

/** Every span that a payment leaves. docs/telemetry.md says what each one is. */
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

/** What spans and their events say, in words of x402; undefined: nothing. Never a signature, a key or a payment id. */
export interface SpanFacts {
  readonly offer?: PaymentRequirements | undefined;
  readonly payer?: string | undefined;
  /** The TxID, or what else a payment is known by. */
  readonly transaction?: string | undefined;
  /** A code of the catalogue, or a word of docs/telemetry.md. */
  readonly outcome?: string | undefined;
  /** A receipt: it says outcome, transaction and payer. */
  readonly settlement?: SettleResponse | undefined;
  readonly requestId?: string | undefined;
  readonly route?: string | undefined;
  readonly method?: string | undefined;
  /** Its query is left out. */
  readonly url?: string | undefined;
  /** Of the answer. */
  readonly status?: number | undefined;
}

/** What happens within a span: what the seller is told, too. */
export type SpanEvent =
  `x402.${'offered' | 'claimed' | 'settled' | 'replayed' | 'released' | 'closed' | 'pending' | 'failed'}`;

/** Headers of a message: those of x402 are recorded, without what is secret. */
export interface TracedHeaders {
  get(name: string): string | null | undefined;
}

/** One place in a trace: what is done there becomes a span below it. Without a tracer nothing is recorded. */
export interface Trace {
  /** The headers that tell whoever is asked where its spans belong (W3C Trace Context). */
  readonly headers: Readonly<Record<string, string>>;
  /** Does work within a span. If it throws, the span has failed, with the error's code. */
  span<T>(name: SpanName, facts: SpanFacts, work: (inside: Trace) => Promise<T>): Promise<T>;
  /** Records work that is over as a span. Times in milliseconds since 1970. */
  past(name: SpanName, facts: SpanFacts, time: { readonly from: number; readonly to: number }): void;
  /** Adds to what the span says. */
  note(facts: SpanFacts): void;
  /** Records that something happened. */
  event(name: SpanEvent, facts: SpanFacts): void;
  /** Does a check. With details, records whether it was passed, or with which code it failed. */
  check<T>(check: string, work: () => Promise<T>): Promise<T>;
  /** Adds what a message says to what the span says; with details, records the message. */
  message(direction: 'sent' | 'received', facts: SpanFacts, headers?: TracedHeaders): void;
}

/** Records nothing. */
export const noTrace: Trace = {
  headers: {},
  span: (_name, _facts, work) => work(noTrace),
  past() {},
  note() {},
  event() {},
  check: (_check, work) => work(),
  message() {},
};
