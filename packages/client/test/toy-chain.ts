import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { LOCALNET } from '@avm402/algorand/networks';
import type { SeenPayment } from './seller.ts';

export interface Chain {
  readonly url: string;
  readonly token: string;
  /** Confirms a payment in the next block. */
  settle(payment: SeenPayment): Promise<void>;
  /** Empty blocks. */
  mine(rounds: number): Promise<void>;
  /** Loses the block of a round. */
  forget(round: number): void;
  /** TxIDs of payments confirmed so far. */
  confirmed(): readonly string[];
  /** Requests so far. */
  calls(): number;
  stop(): Promise<void>;
}

/** The part of algod that a buyer asks, with blocks made by hand. */
export async function startChain(): Promise<Chain> {
  const blocks: string[][] = Array.from({ length: 10 }, () => []);
  let calls = 0;
  const json = (response: ServerResponse, body: unknown): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    calls++;
    const { pathname } = new URL(request.url ?? '', 'http://chain');
    const part = pathname.split('/');
    if (pathname === '/v2/transactions/params') {
      return json(response, {
        fee: 0,
        'min-fee': 1000,
        'genesis-id': LOCALNET.genesisId,
        'genesis-hash': LOCALNET.genesisHash,
        'last-round': blocks.length - 1,
        'consensus-version': 'future',
      });
    }
    if (pathname.startsWith('/v2/transactions/pending/')) {
      const round = blocks.findIndex((ids) => (ids ?? []).includes(part[4] ?? ''));
      if (round > 0) return void response.end(encodeMsgpack({ 'pool-error': '', 'confirmed-round': round, txn: {} }));
      response.statusCode = 404;
      return json(response, {
        message: 'could not find the transaction in the transaction pool or in the last 1000 confirmed rounds',
      });
    }
    const block = blocks[Number(part[3])];
    if (part[2] === 'blocks' && block && part[4] === 'txids') return json(response, { blockTxids: block });
    if (part[2] === 'blocks' && block)
      return void response.end(encodeMsgpack({ block: { ts: Math.floor(Date.now() / 1000) } }));
    response.statusCode = 404;
    return json(response, { message: 'nothing here' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: '',
    settle: async ({ txId }) => void (blocks.flat().includes(txId) || blocks.push([txId])),
    mine: (rounds) => Promise.resolve(void blocks.push(...Array.from({ length: rounds }, () => []))),
    forget: (round) => void delete blocks[round],
    confirmed: () => blocks.flat(),
    calls: () => calls,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
