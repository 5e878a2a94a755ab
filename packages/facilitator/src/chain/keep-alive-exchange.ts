import {
  AnswerTooLong,
  type HttpAnswer,
  type HttpExchange,
  type HttpRequest,
  MAX_ANSWER_BYTES,
  NoAnswerInTime,
} from '@avm402/algorand/http-exchange';
import { createRequire } from 'node:module';
import type { Agent as UndiciAgent, Dispatcher } from 'undici';

// The index of undici loads its fetch, caches and web sockets, too: 80 files that nothing needs here.
const Agent: typeof UndiciAgent = createRequire(import.meta.url)('undici/lib/dispatcher/agent.js');

/** Shorter than any algod keeps an idle connection, so that none is used just as it closes. */
const IDLE_MS = 4_000;

/**
 * Exchanges through undici with connections that stay open, without the Request, Response and streams of `fetch`:
 * less than a third of the work, which matters where most of the work is asking algod. The facilitator's program has it;
 * a facilitator in your own process has it where you name it.
 *
 * @example
 * ```ts
 * import { createAlgodClient } from '@avm402/algorand/algod';
 * import { createKeepAliveExchange } from '@avm402/facilitator';
 *
 * const exchange = createKeepAliveExchange();
 * const algod = createAlgodClient({ url: 'http://127.0.0.1:4001', token: 'a'.repeat(64), exchange });
 * ```
 */
export function createKeepAliveExchange(): HttpExchange {
  // Each request has its own limit, from start to end.
  const agent = new Agent({ keepAliveTimeout: IDLE_MS, headersTimeout: 0, bodyTimeout: 0 });
  return (request) =>
    new Promise((resolve, reject) => {
      request.signal?.throwIfAborted();
      const { method, url, headers, body = null } = request;
      const { origin, pathname, search } = new URL(url);
      const path = `${pathname}${search}`;
      agent.dispatch({ origin, path, method, headers, body }, new AnswerCollector(request, resolve, reject));
    });
}

/** Collects one answer; gives up when it is aborted, when time is over, or when the answer gets too long. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #abort = (): void => this.#giveUp(this.#signal?.reason);
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status = 0;
  #length = 0;

  constructor(
    { timeoutMs, signal }: HttpRequest,
    resolve: (answer: HttpAnswer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#giveUp(new NoAnswerInTime()), timeoutMs);
    signal?.addEventListener('abort', this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > MAX_ANSWER_BYTES) this.#giveUp(new AnswerTooLong());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end();
    this.#resolve({ status: this.#status, body: joined(this.#chunks) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end();
    this.#reject(error);
  }

  #giveUp(reason: unknown): void {
    this.#end();
    this.#reject(reason);
    this.#controller?.abort(new Error('given up'));
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }
}

/** An answer nearly always comes in one piece. */
function joined(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}
