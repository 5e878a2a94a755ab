import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that answers on a port of this machine. */
export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves an app on a free port. */
export async function served(app: RequestListener): Promise<Served> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}
