import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeldNode {
  readonly url: string;
  stop(): Promise<void>;
}

/** A node behind a proxy that holds back what it says of blocks until `released`. */
export async function startHeldNode(target: string, released: Promise<void>): Promise<HeldNode> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    if (path.startsWith('/v2/blocks/')) await released;
    const token = request.headers['x-algo-api-token'] as string;
    const answered = await fetch(target + path, { headers: { 'X-Algo-API-Token': token } });
    response.writeHead(answered.status, { 'Content-Type': answered.headers.get('Content-Type') ?? '' });
    response.end(new Uint8Array(await answered.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
