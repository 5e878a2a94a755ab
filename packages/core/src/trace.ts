import type { Context, Span, SpanContext, SpanKind, SpanStatusCode, Tracer } from '@opentelemetry/api';
import { isX402Error } from './errors.ts';
import type { PaymentRequirements } from './payment-requirements.ts';

// OpenTelemetry's numbers: only its types are imported, so that a page need not load it.
/* oxlint-disable typescript/no-unsafe-enum-assignment */
const INTERNAL = 0 as SpanKind.INTERNAL;
const SERVER = 1 as SpanKind.SERVER;
const CLIENT = 2 as SpanKind.CLIENT;
const FAILED = 2 as SpanStatusCode.ERROR;
/* oxlint-enable typescript/no-unsafe-enum-assignment */

/** Every span that a payment leaves, and its kind. docs/telemetry.md says what each one is. */
const KINDS = {
  'x402.fetch': INTERNAL,
  'x402.ask': CLIENT,
  'x402.sign': INTERNAL,
  'x402.present': CLIENT,
  'x402.serve': SERVER,
  'x402.offer': INTERNAL,
  'x402.verify': CLIENT,
  'x402.handler': INTERNAL,
  'x402.settle': CLIENT,
  'x402.facilitator.verify': SERVER,
  'x402.facilitator.settle': SERVER,
  'x402.phase.verify': INTERNAL,
  'x402.phase.record': INTERNAL,
  'x402.phase.submit': INTERNAL,
  'x402.phase.confirm': INTERNAL,
} as const;

/** The names of spans. */
export type SpanName = keyof typeof KINDS;

/** What spans and their events say. Never a signature, a key, a payment id or a query. */
export interface SpanFacts {
  readonly 'x402.scheme'?: string;
  readonly 'x402.network'?: string;
  readonly 'x402.asset'?: string;
  /** Atomic units. */
  readonly 'x402.amount'?: string;
  readonly 'x402.pay_to'?: string;
  readonly 'x402.payer'?: string;
  /** The TxID, or what else a payment is known by. */
  readonly 'x402.transaction'?: string;
  /** How it ended: a code of the catalogue, or a word of docs/telemetry.md. */
  readonly 'x402.outcome'?: string;
  readonly 'x402.request_id'?: string;
  readonly 'http.request.method'?: string;
  readonly 'http.response.status_code'?: number;
  readonly 'http.route'?: string;
  readonly 'server.address'?: string;
  readonly 'url.path'?: string;
  /** Of a detail: which way a message went. */
  readonly 'x402.direction'?: 'sent' | 'received';
  /** Of a detail: the message in a header, as JSON, without what is secret. */
  readonly 'x402.message'?: string;
  /** Of a detail: what was checked. */
  readonly 'x402.check'?: string;
}

/** What happens within a span: what the seller is told, too; and two details. */
export type SpanEvent =
  | `x402.${'offered' | 'claimed' | 'settled' | 'replayed' | 'released' | 'closed' | 'pending' | 'failed'}`
  | 'x402.message'
  | 'x402.check';

/** One place in a trace: what is done there becomes a span below it. Without a tracer nothing is recorded. */
export interface Trace {
  /** The headers that tell whoever is asked where its spans belong (W3C Trace Context). */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether messages and checks are recorded, too. */
  readonly hasDetails: boolean;
  /** Does work within a span. If it throws, the span has failed, with the error's code. */
  span<T>(name: SpanName, facts: SpanFacts, work: (inside: Trace) => Promise<T>): Promise<T>;
  /** Records work that is over as a span. Times in milliseconds since 1970. */
  past(name: SpanName, facts: SpanFacts, time: { readonly from: number; readonly to: number }): void;
  /** Adds to what the span says. */
  note(facts: SpanFacts): void;
  /** Records that something happened. */
  event(name: SpanEvent, facts: SpanFacts): void;
}

/** Records nothing. */
export const noTrace: Trace = {
  headers: {},
  hasDetails: false,
  span: (_name, _facts, work) => work(noTrace),
  past() {},
  note() {},
  event() {},
};

export interface TraceOptions {
  /** Default: nothing is recorded. */
  readonly tracer?: Tracer | undefined;
  /** Whether messages and checks are recorded, too. Default false. */
  readonly details?: boolean | undefined;
  /** The header `traceparent` of the request that is served: its spans are continued. */
  readonly traceparent?: string | undefined;
}

/**
 * Where the spans of one request begin: under the request that asked, or else under what is active.
 *
 * @example
 * ```ts
 * import { startTrace } from '@avm402/core/trace';
 *
 * const trace = startTrace({});
 * await trace.span('x402.sign', { 'x402.scheme': 'exact' }, async (inside) => inside.note({ 'x402.outcome': 'signed' }));
 * ```
 */
export function startTrace({ tracer, details = false, traceparent }: TraceOptions): Trace {
  if (tracer === undefined) return noTrace;
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return traceUnder({ tracer, details }, parent && { spanContext: () => parent });
}

interface Recorder {
  readonly tracer: Tracer;
  readonly details: boolean;
}
type Parent = Pick<Span, 'spanContext'> & Partial<Span>;

function traceUnder(recorder: Recorder, parent: Parent | undefined): Trace {
  const { tracer, details } = recorder;
  const context = parent && contextOf(parent);
  return {
    headers: parent ? traceHeaders(parent.spanContext()) : {},
    hasDetails: details,
    span: (name, facts, work) => {
      const options = { kind: KINDS[name], attributes: { ...facts } };
      const run = (span: Span): ReturnType<typeof work> => ended(span, () => work(traceUnder(recorder, span)));
      return context ? tracer.startActiveSpan(name, options, context, run) : tracer.startActiveSpan(name, options, run);
    },
    past: (name, facts, { from, to }) =>
      tracer.startSpan(name, { kind: KINDS[name], attributes: { ...facts }, startTime: from }, context).end(to),
    note: (facts) => void parent?.setAttributes?.({ ...facts }),
    event: (name, facts) => void parent?.addEvent?.(name, { ...facts }),
  };
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The code alone: messages are for people, and may say more than a collector is to know.
    const type = isX402Error(error) ? error.code : error instanceof Error ? error.name : 'unknown';
    span.setAttribute('error.type', type).setStatus({ code: FAILED, message: type });
    throw error;
  } finally {
    span.end();
  }
}

/** Where OpenTelemetry looks for the span of a context; every copy of its API has the same key. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');

/**
 * A context that holds a span, so that spans find their parent where nothing is active across `await`, as in a browser.
 */
function contextOf(span: Parent, values: ReadonlyMap<symbol, unknown> = new Map([[SPAN_KEY, span]])): Context {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(span, new Map([...values, [key, value]])),
    deleteValue: (key) => contextOf(span, new Map([...values].filter(([one]) => one !== key))),
  };
}

function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize();
  return { traceparent, ...(tracestate && { tracestate }) };
}

/** W3C Trace Context §3.2; what later versions add at the end is left out. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** The span that a header names; undefined if it names none. */
function parseTraceparent(header: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** What spans say of an offer. */
export function offerFacts({ scheme, network, asset, amount, payTo }: PaymentRequirements): SpanFacts {
  return {
    'x402.scheme': scheme,
    'x402.network': network,
    'x402.asset': asset,
    'x402.amount': amount,
    'x402.pay_to': payTo,
  };
}
