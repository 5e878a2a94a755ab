import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import {
  AnswerTooLong,
  type HttpAnswer,
  type HttpExchange,
  MAX_ANSWER_BYTES,
  NoAnswerInTime,
} from '@avm402/algorand/http-exchange';

/** Less than any algod keeps an idle connection, so that none is used at the moment when it is closed. */
const IDLE_MS = 4_000;

/**
 * Exchanges through node:http with connections that stay open: a quarter of the work of `fetch`, which matters where
 * most of the work is asking algod.
 */
export function createKeepAliveExchange(): HttpExchange {
  const options = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return ({ method, url, headers, body, timeoutMs, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const { protocol, hostname, port, pathname, search } = new URL(url);
      const sized = body === undefined ? headers : { ...headers, 'Content-Length': body.length };
      // Not urlToHttpOptions: node:http copies its options several times, and slowly those that have no prototype.
      const target = { method, hostname: unbracketed(hostname), port, path: `${pathname}${search}`, headers: sized };
      const request =
        protocol === 'https:'
          ? requestHttps({ ...target, agent: agents.https })
          : requestHttp({ ...target, agent: agents.http });
      const giveUp = (reason: unknown): void => {
        reject(reason);
        request.destroy();
      };
      const timer = setTimeout(() => giveUp(new NoAnswerInTime()), timeoutMs);
      const abort = (): void => giveUp(signal?.reason);
      signal?.addEventListener('abort', abort);
      request.once('response', (response) => collect(response, resolve, reject));
      request.once('error', reject);
      request.once('close', () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      });
      request.end(body);
    });
}

/** The address of an IPv6 host, which a URL has in brackets. */
function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function collect(
  response: IncomingMessage,
  resolve: (answer: HttpAnswer) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) response.destroy(new AnswerTooLong());
    else chunks.push(chunk);
  });
  response.once('end', () => resolve({ status: response.statusCode ?? 0, body: joined(chunks) }));
  response.once('close', () => {
    if (!response.complete) reject(new Error('the connection closed within an answer'));
  });
  response.once('error', reject);
}

/** An answer nearly always comes in one piece. */
function joined(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}
