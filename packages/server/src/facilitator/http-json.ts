import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
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

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
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
    if (!(error instanceof StaleConnection)) throw unreachable(request.url, error);
  }
  try {
    return await attempt(request, Math.max(1, deadline - performance.now()));
  } catch (error) {
    throw unreachable(request.url, error);
  }
}

class StaleConnection extends Error {}
class OutOfTime extends Error {}

/** One timer and one listener instead of AbortSignals: those cost as much as the rest of an exchange. */
function attempt(request: JsonRequest, timeoutMs: number): Promise<JsonAnswer> {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  return new Promise<JsonAnswer>((resolve, reject) => {
    const outgoing = open(request, body);
    const timer = setTimeout(() => outgoing.destroy(new OutOfTime('no answer in time')), timeoutMs);
    const give = (): void => void outgoing.destroy(new OutOfTime('given up'));
    request.signal?.addEventListener('abort', give, { once: true });
    outgoing.once('response', (incoming) => readJson(incoming, resolve, reject));
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      reject(isStale ? new StaleConnection('closed while idle', { cause: error }) : error);
    });
    outgoing.once('close', () => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', give);
    });
    outgoing.end(body);
  });
}

function open({ method, url, headers }: JsonRequest, body: string | undefined): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body).toString() };
  const options = {
    ...urlToHttpOptions(url),
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers, ...length },
  };
  return url.protocol === 'https:'
    ? httpsRequest({ ...options, agent: AGENTS['https:'] })
    : httpRequest({ ...options, agent: AGENTS['http:'] });
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
  incoming.once('end', () => resolve(answerOf(incoming, parsed(Buffer.concat(chunks).toString('utf8')))));
  incoming.once('close', () => {
    if (!incoming.complete) reject(new Error('the connection closed within an answer'));
  });
  incoming.once('error', reject);
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

function unreachable(url: URL, cause: unknown): X402Error {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const why = cause instanceof OutOfTime ? 'did not answer in time' : 'could not be reached';
  return new X402Error('facilitator_unreachable', {
    message: `the facilitator at ${url.origin} ${why}`,
    details: { sent: NEVER_SENT.has(code) ? 0 : 1 },
    cause,
  });
}
