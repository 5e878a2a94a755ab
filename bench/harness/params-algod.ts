import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TESTNET } from '@avm402/algorand/networks';

export interface ParamsAlgod {
  readonly url: string;
  /** Requests answered so far, by route. */
  readonly calls: () => Record<string, number>;
  stop(): Promise<void>;
}

/** An algod that knows suggested parameters only: the same answer for every side, at no cost worth mentioning. */
export async function startParamsAlgod(): Promise<ParamsAlgod> {
  const calls: Record<string, number> = {};
  const answer = JSON.stringify({
    fee: 0,
    'min-fee': 1000,
    'genesis-id': TESTNET.genesisId,
    'genesis-hash': TESTNET.genesisHash,
    'last-round': 5000,
    'consensus-version': 'future',
  });
  const server = createServer(({ url = '' }, response) => {
    calls[url] = (calls[url] ?? 0) + 1;
    response.writeHead(url.startsWith('/v2/transactions/params') ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => ({ ...calls }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
