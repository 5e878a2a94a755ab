import { Agent as HttpAgent, type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** Less than any algod keeps an idle connection, so that none is used at the moment when it is closed. */
const IDLE_MS = 4_000;

const MAX_BODY_BYTES = 20_000_000;

/**
 * The part of `fetch` that algod's client needs, through node:http: half the work of the built-in one, which matters
 * where most of the work is asking algod. Follows no redirect; bodies are bytes; answers are complete when it resolves.
 */
export function createKeepAliveFetch(): typeof fetch {
  const options = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const answer = await exchange(url, agents, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal ? { signal } : {}),
      body: body instanceof Uint8Array ? body : undefined,
    });
    return new Response(answer.body, { status: answer.status });
  };
}

interface Exchange extends Pick<RequestOptions, 'method' | 'signal'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

function exchange(
  url: URL,
  agents: { readonly http: HttpAgent; readonly https: HttpsAgent },
  { body, headers, ...options }: Exchange,
): Promise<Answer> {
  const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
  const isHttps = url.protocol === 'https:';
  const send = isHttps ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const agent = isHttps ? agents.https : agents.http;
    const request = send(url, { ...options, agent, headers: { ...headers, ...length } }, (response) => {
      collect(response).then(resolve, reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function collect(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the connection.
    if (length > MAX_BODY_BYTES) throw new RangeError(`an answer of more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { statusCode: status = 502 } = response;
  // A Response of these statuses may have no body.
  return { status, body: status === 204 || status === 304 ? null : Uint8Array.from(Buffer.concat(chunks)) };
}
