import type { Tracer } from '@opentelemetry/api';
import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';

/** A tracer, and the spans that it has ended. */
export interface RecordedSpans {
  readonly tracer: Tracer;
  readonly ended: readonly ReadableSpan[];
  /** The first span with a name; throws if there is none. */
  named(name: string): ReadableSpan;
  forget(): void;
}

/**
 * Records spans in memory, and hands each that ends to `take`. It registers nothing globally: the traced code is given
 * the tracer.
 */
export function recordSpans(take: () => void = () => undefined): RecordedSpans {
  const ended: ReadableSpan[] = [];
  const processor = {
    onStart() {},
    onEnd: (span: ReadableSpan) => {
      ended.push(span);
      take();
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  return {
    tracer: new TracerProvider({ spanProcessors: [processor] }).getTracer('test'),
    ended,
    named: (name) => {
      const found = ended.find((span) => span.name === name);
      if (found === undefined) throw new Error(`no span ${name} among ${ended.map((span) => span.name).join(', ')}`);
      return found;
    },
    forget: () => void ended.splice(0),
  };
}
