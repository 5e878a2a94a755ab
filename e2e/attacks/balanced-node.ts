import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Two nodes behind one address, as a public provider has them. One of them may lag. */
export interface BalancedNode {
  readonly url: string;
  /** Whether the node that lags is asked about accounts: it tells what was true when it was asked first. */
  lags: boolean;
  stop(): Promise<void>;
}

interface Told {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

/** Serves the node at `nodeUrl`, and what it told of accounts before. */
export async function startBalancedNode(nodeUrl: string): Promise<BalancedNode> {
  const earlier = new Map<string, Told>();
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const balanced: BalancedNode = {
    url: `http://127.0.0.1:${port}`,
    lags: false,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return balanced;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url: path = '/' } = incoming;
    const now = await askNode(incoming, path);
    if (path.startsWith('/v2/accounts/') && !earlier.has(path)) earlier.set(path, now);
    const { status, type, body } = (balanced.lags && earlier.get(path)) || now;
    outgoing.writeHead(status, { 'content-type': type }).end(body);
  }

  async function askNode(incoming: IncomingMessage, path: string): Promise<Told> {
    const { method = 'GET', headers } = incoming;
    const body = await buffer(incoming);
    const response = await fetch(`${nodeUrl}${path}`, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
      ),
      ...(method !== 'GET' && { body }),
    });
    const type = response.headers.get('content-type') ?? 'text/plain';
    return { status: response.status, type, body: Buffer.from(await response.arrayBuffer()) };
  }
}
