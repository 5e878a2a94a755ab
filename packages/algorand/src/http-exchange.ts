import { concatBytes } from '@noble/hashes/utils.js';

/** One HTTP request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Milliseconds from sending the request to the last byte of its answer. */
  readonly timeoutMs: number;
  /** Aborting the signal cancels the request. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends one request, once, and resolves with its whole answer, whatever the status. It does not follow redirects, which
 * could carry a token to another host. Rejects with NoAnswerInTime, with AnswerTooLong for an answer of more than
 * {@link MAX_ANSWER_BYTES}, or with the error that prevented an answer.
 */
export type HttpExchange = (request: HttpRequest) => Promise<HttpAnswer>;

export const MAX_ANSWER_BYTES = 20_000_000;

export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';
}

/** An exchange through `fetch`, which every browser and runtime has. */
export function fetchExchange(fetch: typeof globalThis.fetch): HttpExchange {
  return async ({ method, url, headers, body, timeoutMs, signal: caller }) => {
    const { signal, clear } = startDeadline(timeoutMs, caller);
    try {
      const init = { method, headers, signal, redirect: 'error' } as const;
      const response = await fetch(url, body ? { ...init, body: new Uint8Array(body) } : init);
      return { status: response.status, body: await readBounded(response) };
    } catch (cause) {
      const isLate = signal.aborted && caller?.aborted !== true;
      throw isLate ? new NoAnswerInTime(`no answer within ${timeoutMs} ms`, { cause }) : cause;
    } finally {
      clear();
    }
  };
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly clear: () => void;
}

/**
 * A signal that fires after a time or with the caller's signal. AbortSignal.any would stay tied to a long-lived caller.
 */
function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  if (caller?.aborted === true) abort();
  caller?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

async function readBounded({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    length += part.value.length;
    if (length > MAX_ANSWER_BYTES) {
      await reader?.cancel();
      throw new AnswerTooLong();
    }
    chunks.push(part.value);
  }
  return concatBytes(...chunks);
}
