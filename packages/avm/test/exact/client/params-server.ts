import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';

interface SuggestedAnswer {
  fee: number;
  'min-fee': number;
  'genesis-id': string;
  'genesis-hash': string;
  'last-round': number;
  'consensus-version': string;
}

export interface ParamsServer {
  readonly algod: AlgodClient;
  /** What is answered; tests change it. */
  readonly answer: SuggestedAnswer;
  /** Requests so far. */
  readonly calls: () => number;
  stop(): Promise<void>;
}

/** An algod over HTTP that knows suggested parameters only. */
export async function startParamsServer(): Promise<ParamsServer> {
  const answer: SuggestedAnswer = {
    fee: 0,
    'min-fee': 1000,
    'genesis-id': TESTNET.genesisId,
    'genesis-hash': TESTNET.genesisHash,
    'last-round': 5000,
    'consensus-version': 'future',
  };
  let calls = 0;
  const server = createServer((_request, response) => {
    calls++;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    algod: createAlgodClient({ url: `http://127.0.0.1:${port}` }),
    answer,
    calls: () => calls,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
