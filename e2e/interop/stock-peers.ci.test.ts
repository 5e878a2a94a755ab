import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toClientAvmSigner, toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme as StockClientScheme } from '@x402/avm/exact/client';
import { ExactAvmScheme as StockFacilitatorScheme } from '@x402/avm/exact/facilitator';
import { ExactAvmScheme as StockServerScheme } from '@x402/avm/exact/server';
import { x402Facilitator } from '@x402/core/facilitator';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware as stockPaymentMiddleware, x402ResourceServer as StockResourceServer } from '@x402/express';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { accountFromSeed, encodePrivateKey, parseAccount } from '@avm402/algorand/account';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import {
  createDevControls,
  developmentAccounts,
  type DevelopmentAccount,
  type DevelopmentAccountName,
} from '@avm402/devnode';
import { paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { USDC, usdcOf } from '@avm402/stack/balances';
import { receiptOf } from '../payment.ts';
import { type Served, served } from '../served.ts';

const accounts = developmentAccounts();
const merchant = account('merchant');

let stack: Stack;
let algod: AlgodClient;
const servers: Served[] = [];

beforeAll(async () => {
  stack = await startStack({
    nodeArguments: ['--network', 'testnet'],
    facilitatorEnvironment: { SPONSOR_PAY_TO: merchant.address },
  });
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => stack.stop());

function account(name: DevelopmentAccountName): DevelopmentAccount {
  return accounts[name];
}

async function serve(app: express.Express): Promise<string> {
  const server = await served(app);
  servers.push(server);
  return server.url;
}

/** The published example's client, pointed at the embedded node. */
function stockFetch(payer: DevelopmentAccountName): typeof fetch {
  return stockFetchOf(account(payer).privateKey);
}

function stockFetchOf(privateKey: string): typeof fetch {
  const client = new x402Client().register(
    'algorand:*',
    new StockClientScheme(toClientAvmSigner(privateKey), {
      algodUrl: stack.node.url,
      algodToken: NODE_TOKEN,
    }),
  );
  return wrapFetchWithPayment(fetch, client);
}

/** The key of a new account that can pay. */
async function fundedKey(index: number): Promise<string> {
  const seed = new Uint8Array(32).fill(100 + index);
  const controls = createDevControls({ url: stack.node.url, token: NODE_TOKEN });
  const { address } = accountFromSeed(seed);
  await controls.fund(address, 1_000_000n);
  await controls.deal(address, USDC, 1_000_000n);
  return encodePrivateKey(seed);
}

function ourFetch(payer: DevelopmentAccountName): typeof fetch {
  return createPayingFetch({
    account: parseAccount(account(payer).privateKey),
    networks: { 'algorand:*': { url: stack.node.url, token: NODE_TOKEN } },
  });
}

const weatherRoute = {
  'GET /weather': {
    accepts: { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo: merchant.address },
    description: 'Weather',
    mimeType: 'application/json',
  },
} as const;

function stockServer(facilitatorUrl: string): express.Express {
  const app = express();
  const resources = new StockResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl })).register(
    ALGORAND_TESTNET,
    new StockServerScheme(),
  );
  app.use(stockPaymentMiddleware(weatherRoute, resources));
  app.get('/weather', (_request, response) => void response.json({ report: { weather: 'sunny', temperature: 21 } }));
  return app;
}

/** The stock facilitator scheme behind a few lines of Express, as upstream's example does it. */
function stockFacilitator(): express.Express {
  const facilitator = new x402Facilitator().register(
    ALGORAND_TESTNET,
    new StockFacilitatorScheme(
      toFacilitatorAvmSigner(account('facilitator').privateKey, {
        testnetUrl: stack.node.url,
        algodToken: NODE_TOKEN,
      }),
    ),
  );
  const app = express();
  app.use(express.json());
  app.get('/supported', (_request, response) => void response.json(facilitator.getSupported()));
  app.post('/verify', async (request, response) => {
    response.json(await facilitator.verify(request.body.paymentPayload, request.body.paymentRequirements));
  });
  app.post('/settle', async (request, response) => {
    response.json(await facilitator.settle(request.body.paymentPayload, request.body.paymentRequirements));
  });
  return app;
}

async function expectPaid(request: () => Promise<Response>, payer: DevelopmentAccountName): Promise<void> {
  const before = [await usdcOf(algod, account(payer).address), await usdcOf(algod, merchant.address)] as const;
  const response = await request();
  expect(response.status).toBe(200);
  expect(receiptOf(response)).toMatchObject({ success: true, payer: account(payer).address });
  expect(before[0] - (await usdcOf(algod, account(payer).address))).toBe(10_000n);
  expect((await usdcOf(algod, merchant.address)) - before[1]).toBe(10_000n);
}

describe('stock peers', () => {
  it('a stock client pays our weather server through our facilitator', async () => {
    await expectPaid(() => stockFetch('payer')(`${stack.weather.url}/weather`), 'payer');
  });

  it('our client pays a stock server through our facilitator', async () => {
    const url = await serve(stockServer(stack.facilitator.url));
    await expectPaid(() => ourFetch('payer2')(`${url}/weather`), 'payer2');
  });

  it('a stock client pays a stock server through our facilitator', async () => {
    const url = await serve(stockServer(stack.facilitator.url));
    await expectPaid(() => stockFetch('payer3')(`${url}/weather`), 'payer3');
  });

  it('24 payments that a stock client makes at the same time all settle, though they live only ten rounds', async () => {
    const url = `${await serve(stockServer(stack.facilitator.url))}/weather`;
    // A payer each: the stock client tells payments of one apart by the millisecond at which they are made.
    const payers = await Promise.all(Array.from({ length: 24 }, (_, index) => fundedKey(index)));
    const paid = payers.map(async (key) => (await stockFetchOf(key)(url)).status);
    expect(await Promise.all(paid)).toEqual(Array.from({ length: 24 }, () => 200));
  });

  it.each(['ours', 'stock'] as const)('a stock facilitator serves our server, the client being %s', async (whose) => {
    const facilitatorUrl = await serve(stockFacilitator());
    const app = express();
    const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl })).register(
      ALGORAND_TESTNET,
      new StockServerScheme(),
    );
    app.use(paymentMiddleware(weatherRoute, resources));
    app.get('/weather', (_request, response) => void response.json({ report: {} }));
    const url = await serve(app);
    const payer = whose === 'ours' ? 'payer4' : 'payer5';
    await expectPaid(() => (whose === 'ours' ? ourFetch : stockFetch)(payer)(`${url}/weather`), payer);
  });

  it('the stock README example runs on ours with only the import of the middleware changed', async () => {
    const app = express();
    const facilitatorClient = new HTTPFacilitatorClient({ url: stack.facilitator.url });
    const resourceServer = new x402ResourceServer(facilitatorClient).register(
      ALGORAND_TESTNET,
      new StockServerScheme(),
    );
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
    app.get('/protected-route', (_request, response) => {
      response.json({ message: 'This content is behind a paywall' });
    });
    const url = `${await serve(app)}/protected-route`;
    expect((await fetch(url)).status).toBe(402);
    const response = await ourFetch('payer6')(url);
    expect(await response.json()).toEqual({ message: 'This content is behind a paywall' });
    expect(settlementOf(response)).toMatchObject({ success: true });
  });
});
