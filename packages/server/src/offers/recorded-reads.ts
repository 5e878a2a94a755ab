import { serialize } from 'node:v8';
import type { HTTPRequestContext } from '@x402/core/server';
import { digestOf } from '../request/digest.ts';

/** A request's context that records what is read from it. */
export interface RecordedReads {
  readonly context: HTTPRequestContext;
  /** A hash over all questions and answers; undefined if an answer can't be serialized, such as a stream. */
  digest(): string | undefined;
}

/** Records what price and receiver functions read from a request: their terms hold where they would read the same. */
export function recordReads(context: HTTPRequestContext): RecordedReads {
  const reads = new Map<string, Uint8Array | undefined>();
  const note = <T>(question: unknown, answer: T): T => {
    reads.set(JSON.stringify(question), serialized(answer));
    return answer;
  };
  const adapter = new Proxy(context.adapter, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return note(name, method);
      return (...args: unknown[]): unknown => note([name, ...args], Reflect.apply(method, target, args));
    },
  });
  return {
    context: new Proxy(context, {
      get: (target, name) => (name === 'adapter' ? adapter : note(String(name), Reflect.get(target, name))),
    }),
    digest: () => digestOfReads(reads),
  };
}

function digestOfReads(reads: ReadonlyMap<string, Uint8Array | undefined>): string | undefined {
  // Functions of several offers run side by side, so their questions have no order.
  const sorted = [...reads].sort(([one], [other]) => (one < other ? -1 : 1));
  const items = sorted.flatMap(([name, read]) => (read === undefined ? [] : [name, [read]]));
  return items.length === 2 * sorted.length ? digestOf(items) : undefined;
}

/** The answer's bytes. JSON would not do: it takes a stream for `{}` and Infinity for null, which are other answers. */
function serialized(answer: unknown): Uint8Array | undefined {
  try {
    return serialize(answer);
  } catch {
    return undefined;
  }
}
