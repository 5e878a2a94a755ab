import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What a proxy does with one request: passes it on, answers it itself, or passes it on and loses the answer. */
type Fate = 'pass' | { readonly answer: number } | { readonly lose: number };

/** A proxy in front of an algod, which counts requests and can spoil them. */
export interface AlgodProxy {
  readonly url: string;
  /** Requests seen, as `METHOD /path` without query. */
  readonly requests: string[];
  fate: (request: string) => Fate;
  stop(): Promise<void>;
}

export async function startAlgodProxy(target: string): Promise<AlgodProxy> {
  const server = createServer((request, response) => {
    // The node may go while somebody still waits for its next block.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy: AlgodProxy = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    fate: () => 'pass',
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const seen = `${method} ${url.split('?')[0]}`;
    proxy.requests.push(seen);
    const fate = proxy.fate(seen);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (typeof fate === 'object' && 'answer' in fate) return void response.writeHead(fate.answer).end();
    const passed = Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name));
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: passed.map(([name, value]) => [name, String(value)] as [string, string]),
      ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (typeof fate === 'object') return void response.writeHead(fate.lose).end();
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(body);
  }
}
