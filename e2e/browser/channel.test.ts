import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { charge, createSeller, memoryChannelStore, type Seller, x402ResourceServer } from '@avm402/server';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { HTTPFacilitatorClient } from '@x402/core/server';
import express from 'express';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { offerOf } from '../payment.ts';
import { launchChromium, listen, type Listening, servePage } from './chromium.ts';

const USDC = 10_458_941n;
const REQUESTS = 100;
let stack: Stack;
let algod: AlgodClient;
let browser: Browser;
const servers: Listening[] = [];
const sellers: Seller[] = [];

beforeAll(async () => {
  stack = await startStack();
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser.close();
  for (const { server } of servers) server.close();
  await stack.stop();
});

/** A metered route that pages of other origins may ask, sold through channels alone. */
async function paidService(): Promise<string> {
  const [offer] = offerOf(await fetch(`${stack.weather.url}/weather`)).accepts;
  if (!offer) throw new Error('the weather server offers nothing');
  const { network, payTo } = offer;
  const facilitator = new HTTPFacilitatorClient({ url: stack.facilitator.url });
  const server = new x402ResourceServer(facilitator)
    .register('algorand:*', new ExactAvmServer())
    .register('algorand:*', new BatchSettlementAvmServer());
  const seller = createSeller({ server, channels: { store: memoryChannelStore() } });
  sellers.push(seller);
  const accepts = await seller.accepts({ price: '$0.001', payTo, network, schemes: ['batch-settlement'] });
  const app = express();
  app.use((request, response, next) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', 'PAYMENT-SIGNATURE, Content-Type');
    if (request.method === 'OPTIONS') response.sendStatus(204);
    else next();
  });
  app.use(seller.middleware({ 'GET /news': { accepts } }));
  app.get('/news', (_request, response) => {
    charge(response, 400n);
    response.json({ news: 'good' });
  });
  const listening = await listen(app);
  servers.push(listening);
  return listening.url;
}

it(`a page in Chromium asks its wallet once, for the deposit, and then pays ${REQUESTS} requests; the close agrees to the unit`, async () => {
  const payer = stack.accounts['payer3'];
  const usdc = async (): Promise<bigint> => (await algod.accountAsset(payer?.address ?? '', USDC))?.amount ?? 0n;
  const before = await usdc();
  const service = await paidService();
  const page = await browser.newPage();
  const shown = await servePage(new URL('channel-page.ts', import.meta.url));
  servers.push(shown);
  await page.goto(shown.url);
  await page.waitForFunction(() => 'payMany' in globalThis);
  const paid = await page.evaluate(
    ([url, count, algodUrl, token, secret]) => globalThis.window.payMany(url, count, { url: algodUrl, token }, secret),
    [`${service}/news`, REQUESTS, stack.node.url, NODE_TOKEN, payer?.mnemonic ?? ''] as const,
  );
  expect(paid).toEqual({
    statuses: Array.from({ length: REQUESTS }, () => 200),
    transactions: [expect.stringMatching(/^[A-Z2-7]{52}$/), ''],
    charged: (400 * REQUESTS).toString(),
    asked: 1,
  });
  for (const seller of sellers) await seller.channels?.stop({ close: true });
  expect(before - (await usdc())).toBe(BigInt(400 * REQUESTS));
}, 120_000);
