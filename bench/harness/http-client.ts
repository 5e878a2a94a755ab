import { Agent, request, type RequestOptions } from 'node:http';

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** An HTTP client that takes less CPU than `fetch`, so that it disturbs less. Its connections stay open until `close`. */
export interface HttpClient {
  get(url: string): Promise<Answer>;
  post(url: string, body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a JSON text and parses the answer. */
  postJson(url: string, body: string): Promise<{ readonly status: number; readonly body: unknown }>;
  close(): void;
}

export function createHttpClient(): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1024 });
  const send = (url: string, options: RequestOptions, body?: Uint8Array): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent, ...options }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }));
      });
      sent.once('error', reject);
      sent.end(body);
    });
  const post: HttpClient['post'] = (url, body, headers) =>
    send(url, { method: 'POST', headers: { ...headers, 'Content-Length': body.length } }, body);
  return {
    get: (url) => send(url, {}),
    post,
    async postJson(url, body) {
      const { status, bytes } = await post(url, Buffer.from(body), { 'Content-Type': 'application/json' });
      return { status, body: JSON.parse(bytes.toString('utf8')) };
    },
    close: () => agent.destroy(),
  };
}
