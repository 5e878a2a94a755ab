import type { Attributes, Context, Span, SpanContext, SpanKind, SpanStatusCode, Tracer } from '@opentelemetry/api';
import { shownMessage, type ShowTransaction } from './shown-message.ts';
import { attributesOf } from './span-attributes.ts';
import type { SpanFacts, SpanName, Trace, TracedHeaders } from './trace.ts';

// OpenTelemetry's numbers. Only its types are imported, so that a page need not load it.
/* oxlint-disable typescript/no-unsafe-enum-assignment */
const INTERNAL = 0 as SpanKind.INTERNAL;
const SERVER = 1 as SpanKind.SERVER;
const CLIENT = 2 as SpanKind.CLIENT;
const FAILED = 2 as SpanStatusCode.ERROR;
/* oxlint-enable typescript/no-unsafe-enum-assignment */

/** The spans of a message to another role, or from one. The others are internal. */
const KINDS: Readonly<Partial<Record<SpanName, SpanKind>>> = {
  'x402.ask': CLIENT,
  'x402.present': CLIENT,
  'x402.serve': SERVER,
  'x402.verify': CLIENT,
  'x402.settle': CLIENT,
  'x402.facilitator.verify': SERVER,
  'x402.facilitator.settle': SERVER,
};

export interface TraceOptions {
  readonly tracer: Tracer;
  /** Whether messages and checks are recorded as well. Default false. */
  readonly details?: boolean | undefined;
  /** Shows the transactions of a recorded message without their signatures. Absent: transactions are left out. */
  readonly showTransaction?: ShowTransaction | undefined;
  /** The `traceparent` header of the request being served: its trace is continued. */
  readonly traceparent?: string | undefined;
}

/**
 * Starts the trace of one request: its spans belong to the span named by `traceparent`, or else to the active one.
 *
 * @example
 * ```ts
 * import { startTrace } from '@avm402/core/start-trace';
 * import type { Tracer } from '@opentelemetry/api';
 *
 * const startIn = (tracer: Tracer) =>
 *   startTrace({ tracer }).span('x402.sign', {}, async (inside) => inside.note({ outcome: 'signed' }));
 * ```
 */
export function startTrace({ traceparent, ...recorder }: TraceOptions): Trace {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return traceUnder(recorder, parent && { spanContext: () => parent });
}

type Recorder = Omit<TraceOptions, 'traceparent'>;
type Parent = Pick<Span, 'spanContext'> & Partial<Span>;

function traceUnder(recorder: Recorder, parent: Parent | undefined): Trace {
  const { tracer, details = false, showTransaction } = recorder;
  const context = parent && contextOf(parent);
  const optionsOf = (name: SpanName, facts: SpanFacts) => ({
    kind: KINDS[name] ?? INTERNAL,
    attributes: attributesOf(facts),
  });
  return {
    headers: parent ? traceHeaders(parent.spanContext()) : {},
    span: (name, facts, work) => {
      const options = optionsOf(name, facts);
      const run = (span: Span): ReturnType<typeof work> => ended(span, () => work(traceUnder(recorder, span)));
      return context ? tracer.startActiveSpan(name, options, context, run) : tracer.startActiveSpan(name, options, run);
    },
    past: (name, facts, { from, to }) =>
      unlessTroubled(() => tracer.startSpan(name, { ...optionsOf(name, facts), startTime: from }, context).end(to)),
    note: (facts) => void parent?.setAttributes?.(attributesOf(facts)),
    event: (name, facts) => void parent?.addEvent?.(name, attributesOf(facts)),
    check: (check, work) => (details && parent?.addEvent ? checked(parent, check, work) : work()),
    message: (direction, facts, headers) => {
      const attributes = attributesOf(facts);
      parent?.setAttributes?.(attributes);
      if (details)
        parent?.addEvent?.('x402.message', {
          'x402.direction': direction,
          ...attributes,
          ...(headers && shownIn(headers, showTransaction)),
        });
    },
  };
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const type = errorType(error);
    span.setAttribute('error.type', type).setStatus({ code: FAILED, message: type });
    throw error;
  } finally {
    unlessTroubled(() => span.end());
  }
}

/** Runs the app's span processors for what is done: one that throws must not come between a payment and its answer. */
function unlessTroubled(work: () => void): void {
  try {
    work();
  } catch {
    // The span is lost, and nothing else.
  }
}

async function checked<T>(span: Parent, check: string, work: () => Promise<T>): Promise<T> {
  const tell = (outcome: string): unknown =>
    span.addEvent?.('x402.check', { 'x402.check': check, 'x402.outcome': outcome });
  try {
    const result = await work();
    tell('passed');
    return result;
  } catch (error) {
    tell(errorType(error));
    throw error;
  }
}

/** The code of an error, or its name. Messages are for people and may say more than a collector should know. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** The key under which OpenTelemetry looks for a context's span; it is the same in every copy of its API. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');

/**
 * A context that holds a span. Spans find their parent in it where no context stays active across `await`, as in a
 * browser.
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

/** W3C Trace Context §3.2; fields that later versions append are ignored. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** The span that a header names; undefined if it names none. */
function parseTraceparent(header: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const HEADERS = ['PAYMENT-SIGNATURE', 'PAYMENT-RESPONSE', 'PAYMENT-REQUIRED'];

/** The messages in the three headers, without their secrets. */
function shownIn(headers: TracedHeaders, showTransaction: ShowTransaction | undefined): Attributes {
  const shown = HEADERS.map((name) => [
    `x402.${name.toLowerCase().replace('-', '_')}`,
    shownMessage(headers.get(name), showTransaction),
  ]);
  return Object.fromEntries(shown.filter(([, message]) => message !== undefined));
}
