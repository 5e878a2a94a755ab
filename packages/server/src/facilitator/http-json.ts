import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { X402Error } from '@avm402/core/errors';

/** Bytes of an answer: a receipt takes a few hundred, `/supported` a few thousand. */
const MAX_ANSWER_BYTES = 1_000_000;

/** Connections are kept: a payment asks twice within a second or so. Idle ones don't keep the process alive. */
const AGENTS = {
  'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 64 }),
  'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 64 }),
} as const;

/** Where requests go: a URL, taken apart once for all of them. */
export class JsonTarget {
  readonly origin: string;
  readonly #open: (options: RequestOptions) => ClientRequest;
  readonly #options: RequestOptions;

  constructor(url: URL) {
    const { hostname, port, path, auth } = urlToHttpOptions(url);
    const isSecure = url.protocol === 'https:';
    this.origin = url.origin;
    this.#open = isSecure ? httpsRequest : httpRequest;
    this.#options = { hostname, port, path, auth, agent: isSecure ? AGENTS['https:'] : AGENTS['http:'] };
  }

  open(options: Pick<RequestOptions, 'method' | 'headers'>): ClientRequest {
    return this.#open({ ...this.#options, ...options });
  }
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly target: JsonTarget;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** From connecting to the last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface JsonAnswer {
  readonly status: number;
  /** Parsed; undefined if it was no JSON. */
  readonly body: unknown;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter?: number;
}

/**
 * One exchange of JSON, without following redirects. A connection that the other side closed while it was idle is
 * replaced once; nothing was read from it, and what is sent twice carries an Idempotency-Key or changes nothing.
 * @throws X402Error `facilitator_unreachable`; its detail `sent` is 0 if the request certainly never left
 */
export async function exchangeJson(request: JsonRequest): Promise<JsonAnswer> {
  const deadline = performance.now() + request.timeoutMs;
  try {
    return await attempt(request, request.timeoutMs);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw unreachable(request.target, error, mayHaveLeft(error));
  }
  try {
    return await attempt(request, Math.max(1, deadline - performance.now()));
  } catch (error) {
    // An idle connection that was closed looks like one that broke while the request was worked on.
    throw unreachable(request.target, error, true);
  }
}

class StaleConnection extends Error {}
class OutOfTime extends Error {}

/** One timer and one listener instead of AbortSignals: those cost as much as the rest of an exchange. */
function attempt(request: JsonRequest, timeoutMs: number): Promise<JsonAnswer> {
  return new Promise<JsonAnswer>((resolve, reject) => {
    const outgoing = open(request);
    const timer = setTimeout(() => outgoing.destroy(new OutOfTime('no answer in time')), timeoutMs);
    const give = (): void => void outgoing.destroy(new OutOfTime('given up'));
    request.signal?.addEventListener('abort', give, { once: true });
    outgoing.on('response', (incoming) => readJson(incoming, resolve, reject));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      reject(isStale ? new StaleConnection('closed while idle', { cause: error }) : error);
    });
    outgoing.on('close', () => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', give);
      // After all the others: an answer that is none of HTTP's usual ones (101, say) ends without any of them.
      reject(new Error('the connection closed before an answer'));
    });
    outgoing.end(request.body);
  });
}

function open({ method, target, headers, body }: JsonRequest): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return target.open({
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers, ...length },
  });
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
      resolve(answerOf(incoming, undefined));
      incoming.destroy();
    }
  });
  incoming.on('end', () => resolve(answerOf(incoming, parsed(Buffer.concat(chunks).toString('utf8')))));
  incoming.on('close', () => {
    if (!incoming.complete) reject(new Error('the connection closed within an answer'));
  });
  incoming.on('error', reject);
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: unknown): JsonAnswer {
  const seconds = Number(headers['retry-after']);
  return { status: statusCode, body, ...(Number.isInteger(seconds) && seconds > 0 ? { retryAfter: seconds } : {}) };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
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

function unreachable({ origin }: JsonTarget, cause: unknown, wasSent: boolean): X402Error {
  const why = cause instanceof OutOfTime ? 'did not answer in time' : `could not be reached (${reasonOf(cause)})`;
  return new X402Error('facilitator_unreachable', {
    message: `the facilitator at ${origin} ${why}`,
    details: { sent: wasSent ? 1 : 0 },
    cause,
  });
}

/** What the system says; a name with several addresses fails with an error that only has a code. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
