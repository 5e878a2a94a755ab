import { AlgorandError, isAlgorandError } from './errors.ts';
import {
  AnswerTooLong,
  type HttpAnswer,
  type HttpExchange,
  MAX_ANSWER_BYTES,
  NoAnswerInTime,
} from './http-exchange.ts';

export interface AlgodRequest {
  /** Path and query, from the slash on. */
  readonly path: string;
  /** If there is a body, the request is a POST. */
  readonly body?: { readonly bytes: Uint8Array; readonly contentType: string };
  /** Default: the client's. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request and returns the body of a 2xx answer. It never sends anything twice. */
export type AlgodTransport = (request: AlgodRequest) => Promise<Uint8Array>;

export interface AlgodTransportOptions {
  readonly url: string;
  readonly token: string;
  readonly exchange: HttpExchange;
  readonly timeoutMs: number;
}

const MAX_REASON_LENGTH = 1000;

/**
 * @throws AlgorandError `algod_unreachable`, `algod_timeout`, `algod_refused`, `algod_bad_answer`; or the caller's
 * reason of abort
 */
export function createAlgodTransport({ url, token, exchange, timeoutMs }: AlgodTransportOptions): AlgodTransport {
  // A URL's path may hold a provider's key, so messages name only the host.
  const { host } = new URL(url);
  // Answers are small or random text, so compressing them costs both sides more than sending them. Browsers ignore this
  // header.
  const plain = { 'Accept-Encoding': 'identity' };
  const headers: Record<string, string> = token === '' ? plain : { ...plain, 'X-Algo-API-Token': token };

  return async ({ path, body, timeoutMs: limit = timeoutMs, signal }) => {
    const to = { url: `${url}${path}`, timeoutMs: limit, signal };
    try {
      const answer = await exchange(
        body === undefined
          ? { ...to, method: 'GET', headers }
          : { ...to, method: 'POST', headers: { ...headers, 'Content-Type': body.contentType }, body: body.bytes },
      );
      if (answer.status < 200 || answer.status > 299) throw refusal(host, answer);
      return answer.body;
    } catch (cause) {
      if (isAlgorandError(cause)) throw cause;
      signal?.throwIfAborted();
      if (cause instanceof AnswerTooLong) throw tooLong(host, cause);
      throw cause instanceof NoAnswerInTime ? timeout(host, cause) : unreachable(host, cause);
    }
  };
}

function refusal(host: string, { status, body }: HttpAnswer): AlgorandError {
  const reason = reasonOf(new TextDecoder().decode(body)).slice(0, MAX_REASON_LENGTH);
  const remedy = status === 401 || status === 403 ? '; its token is in the file algod.token of the node' : '';
  const message = `algod at ${host} answered ${status}${reason === '' ? '' : `: ${reason}`}${remedy}`;
  return new AlgorandError('algod_refused', message, { status, reason });
}

/** algod's errors are `{"message": "…"}`; disabled optional routes, and proxies, answer in plain text. */
function reasonOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string') {
      return body.message;
    }
  } catch {
    // Not JSON: the text itself is the reason.
  }
  return text.trim();
}

function timeout(host: string, cause: unknown): AlgorandError {
  return new AlgorandError('algod_timeout', `algod at ${host} did not answer in time`, { cause });
}

function unreachable(host: string, error: unknown): AlgorandError {
  const cause = reasonBelow(error);
  const detail = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return new AlgorandError('algod_unreachable', `algod at ${host} can't be reached${detail}`, { cause });
}

/** fetch says only "fetch failed"; the reason (ECONNREFUSED, ENOTFOUND) is in the cause of its error. */
function reasonBelow(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? reasonBelow(error.cause) : error;
}

function tooLong(host: string, cause: unknown): AlgorandError {
  const message = `algod at ${host} answered with more than ${MAX_ANSWER_BYTES} bytes`;
  return new AlgorandError('algod_bad_answer', message, { cause });
}
