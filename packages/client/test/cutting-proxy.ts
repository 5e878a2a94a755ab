import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Random } from './random.ts';

export interface CuttingProxy {
  readonly url: string;
  /** Connections that were cut so far. */
  readonly cuts: number;
  stop(): Promise<void>;
}

export interface CuttingProxyOptions {
  readonly target: string;
  readonly random: Random;
  /** Bytes that a connection carries, on average, before it is cut; a request with a payment has about 2,000. */
  readonly averageBytes: number;
}

/** A TCP proxy that cuts connections: before the request is through, before the answer, or within it. */
export async function startCuttingProxy({ target, random, averageBytes }: CuttingProxyOptions): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const close = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', close).on('close', () => {
        open.delete(socket);
        close();
      });
    }
    const budget = random.below(2 * averageBytes);
    let passed = 0;
    const count = (chunk: Buffer): void => {
      passed += chunk.length;
      if (passed < budget) return;
      cuts++;
      close();
    };
    client.on('data', count);
    upstream.on('data', count);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
