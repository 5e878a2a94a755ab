import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ExactAvmScheme as StockServerScheme } from '@x402/avm/exact/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';
import { settlementOf } from '@avm402/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { createDevControls, developmentAccounts } from '@avm402/devnode';
import { paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { USDC, usdcOf } from '@avm402/stack/balances';
import { receiptOf } from '../payment.ts';
import { type Served, served } from '../served.ts';
import { type ChainAccess, ours, stock } from './makes.ts';

const { merchant, payer, payer2 } = developmentAccounts();

let stack: Stack;
let chain: ChainAccess;
let algod: AlgodClient;
const servers: Served[] = [];

beforeAll(async () => {
  stack = await startStack({
    nodeArguments: ['--network', 'testnet'],
    facilitatorEnvironment: { SPONSOR_PAY_TO: merchant.address },
  });
  chain = { url: stack.node.url, token: NODE_TOKEN };
  algod = createAlgodClient(chain);
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => stack.stop());

async function keep(starting: Promise<Served>): Promise<string> {
  const server = await starting;
  servers.push(server);
  return server.url;
}

/** The key of a new account that can pay. */
async function fundedKey(index: number): Promise<string> {
  const seed = new Uint8Array(32).fill(100 + index);
  const controls = createDevControls(chain);
  const { address } = accountFromSeed(seed);
  await controls.fund(address, 1_000_000n);
  await controls.deal(address, USDC, 1_000_000n);
  return encodePrivateKey(seed);
}

/** The seller of the stock README, with only the import of the middleware changed. */
function readmeExample(facilitatorUrl: string): express.Express {
  const facilitatorClient = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const resourceServer = new x402ResourceServer(facilitatorClient).register(ALGORAND_TESTNET, new StockServerScheme());
  const app = express();
  app.use(
    paymentMiddleware(
      {
        'GET /protected-route': {
          accepts: { scheme: 'exact', price: '$0.10', network: ALGORAND_TESTNET, payTo: merchant.address },
          description: 'Access to premium content',
        },
      },
      resourceServer,
    ),
  );
  return app.get('/protected-route', (_request, response) => {
    response.json({ message: 'This content is behind a paywall' });
  });
}

describe('stock peers', () => {
  it('a stock client pays our programs', async () => {
    const held = async () => [await usdcOf(algod, payer.address), await usdcOf(algod, merchant.address)] as const;
    const before = await held();
    const response = await stock.client(payer, chain)(`${stack.weather.url}/weather`);
    expect(response.status).toBe(200);
    expect(receiptOf(response)).toMatchObject({ success: true, payer: payer.address });
    expect(await held()).toEqual([before[0] - 10_000n, before[1] + 10_000n]);
  });

  it('24 payments that a stock client makes at the same time all settle, though they live only ten rounds', async () => {
    const sale = { network: ALGORAND_TESTNET, payTo: merchant.address, isUpfront: false };
    const url = `${await keep(served(stock.server(sale, stack.facilitator.url)))}/weather`;
    // A payer each: the stock client tells payments of one apart by the millisecond at which they are made.
    const payers = await Promise.all(Array.from({ length: 24 }, (_, index) => fundedKey(index)));
    const paid = payers.map(async (privateKey) => (await stock.client({ privateKey }, chain)(url)).status);
    expect(await Promise.all(paid)).toEqual(Array.from({ length: 24 }, () => 200));
  });

  it.each([ours, stock])('the stock README example runs on our server by a facilitator of $name', async (make) => {
    const terms = { spellings: [ALGORAND_TESTNET], isSponsor: true, chain };
    const url = `${await keep(served(readmeExample(await keep(make.facilitator(terms)))))}/protected-route`;
    expect((await fetch(url)).status).toBe(402);
    const response = await ours.client(payer2, chain)(url);
    expect(await response.json()).toEqual({ message: 'This content is behind a paywall' });
    expect(settlementOf(response)).toMatchObject({ success: true });
  });
});
