import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, request } from 'node:http';
import { X402Error } from '@avm402/core/errors';
import { jsonIn } from '@avm402/core/unknown-json';
import type { Attempt, FailedAttempt } from './attempt.ts';

/** Most bytes of an answer. A receipt takes a few hundred, `/supported` a few thousand. */
const MAX_ANSWER_BYTES = 1_000_000;

export interface JsonRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON to POST. Without it the request is a GET. */
  readonly body?: string;
  /** From connecting to the last byte. */
  readonly timeoutMs: number;
}

export interface JsonAnswer {
  readonly status: number;
  /** Parsed JSON; undefined for anything else. */
  readonly body: unknown;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter?: number;
  readonly headers: IncomingHttpHeaders;
}

class StaleConnection extends Error {}
/** No answer came in time. */
export class OutOfTime extends Error {}

/**
 * An HTTP client for JSON, for one origin. Doesn't follow redirects. Keeps connections open, because each payment makes
 * two calls within a second or so; idle connections don't keep the process alive.
 */
export class JsonClient {
  readonly #origin: string;
  readonly #open: typeof request;
  readonly #agent: Agent;

  constructor({ protocol, origin }: URL) {
    // TLS is loaded only if it is used. `node-http.ts` says why nothing is imported here.
    const http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    this.#origin = origin;
    this.#open = http.request;
    this.#agent = new http.Agent({ keepAlive: true, maxFreeSockets: 64 });
  }

  /**
   * Sends one request. If the server has closed an idle connection, the request is repeated once on a new one. This is
   * safe: settle carries an Idempotency-Key, and other requests change nothing.
   */
  async exchange(request: JsonRequest): Promise<Attempt<JsonAnswer>> {
    const deadline = performance.now() + request.timeoutMs;
    try {
      return { kind: 'answer', answer: await this.#attempt(request) };
    } catch (error) {
      if (!(error instanceof StaleConnection)) return this.#failed(error, mayHaveLeft(error) ? 'unknown' : 'unsent');
    }
    try {
      const timeoutMs = Math.max(1, deadline - performance.now());
      return { kind: 'answer', isRepeat: true, answer: await this.#attempt({ ...request, timeoutMs }) };
    } catch (error) {
      // The first connection may have broken while the server worked on the request.
      return this.#failed(error, 'unknown');
    }
  }

  /** Uses a timer, because an AbortSignal costs as much as the rest of the exchange. */
  #attempt(request: JsonRequest): Promise<JsonAnswer> {
    return new Promise<JsonAnswer>((resolve, reject) => {
      const outgoing = this.#opened(request);
      const timer = setTimeout(() => outgoing.destroy(new OutOfTime('no answer in time')), request.timeoutMs);
      outgoing.on('response', (incoming) => readJson(incoming, resolve, reject));
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection('closed while idle', { cause: error }) : error);
      });
      outgoing.on('close', () => {
        clearTimeout(timer);
        // Some responses, e.g. 101, end without any of the other events.
        reject(new Error('the connection closed before an answer'));
      });
      outgoing.end(request.body);
    });
  }

  #opened({ url, headers, body }: JsonRequest): ClientRequest {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    return this.#open(url, {
      agent: this.#agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers, ...length },
    });
  }

  #failed(cause: unknown, kind: FailedAttempt['kind']): FailedAttempt {
    const why = cause instanceof OutOfTime ? 'did not answer in time' : `could not be reached (${reasonOf(cause)})`;
    const message = `the facilitator at ${this.#origin} ${why}`;
    return { kind, error: new X402Error('facilitator_unreachable', { message, cause }) };
  }
}

function readJson(
  incoming: IncomingMessage,
  resolve: (answer: JsonAnswer) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
    else {
      resolve(answerFrom(incoming, undefined));
      incoming.destroy();
    }
  });
  incoming.on('end', () => resolve(answerFrom(incoming, jsonIn(Buffer.concat(chunks).toString('utf8')))));
  incoming.on('close', () => {
    if (!incoming.complete) reject(new Error('the connection closed within an answer'));
  });
  incoming.on('error', reject);
}

function answerFrom({ statusCode = 0, headers }: IncomingMessage, body: unknown): JsonAnswer {
  const seconds = Number(headers['retry-after']);
  return {
    status: statusCode,
    body,
    headers,
    ...(Number.isInteger(seconds) && seconds > 0 ? { retryAfter: seconds } : {}),
  };
}

const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function mayHaveLeft(cause: unknown): boolean {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return !NEVER_SENT.has(code);
}

/** The system's message. If a name has several addresses, the error has only a code. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
