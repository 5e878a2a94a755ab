import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { usdcOf } from '@avm402/stack/balances';
import { launchChromium } from '@avm402/testkit/chromium';
import { HTTPFacilitatorClient } from '@x402/core/server';
import express from 'express';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { offerOf } from '../payment.ts';
import { allowPages } from './allow-pages.ts';
import { type Served, served } from '../served.ts';
import { servePage } from './served-page.ts';

let stack: Stack;
let algod: AlgodClient;
let browser: Browser;
const servers: Served[] = [];

beforeAll(async () => {
  stack = await startStack();
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser.close();
  for (const server of servers) await server.stop();
  await stack.stop();
});

/** A paid route that pages of other origins may ask; beside it the same one without leave. */
async function paidService(): Promise<string> {
  const [offer] = offerOf(await fetch(`${stack.weather.url}/weather`)).accepts;
  if (!offer) throw new Error('the weather server offers nothing');
  const { network, payTo } = offer;
  const facilitator = new HTTPFacilitatorClient({ url: stack.facilitator.url });
  const resources = new x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer());
  const option = { scheme: 'exact', price: '$0.01', network, payTo };
  const app = express();
  app.use('/open', allowPages);
  app.use(
    paymentMiddleware({ 'GET /open/news': { accepts: option }, 'GET /shut/news': { accepts: option } }, resources),
  );
  app.get(['/open/news', '/shut/news'], (_request, response) => void response.json({ news: 'good' }));
  const listening = await served(app);
  servers.push(listening);
  return listening.url;
}

it('a page in Chromium pays across origins with a wallet, and exactly one cent moves', async () => {
  const payer = stack.accounts.payer3;
  const usdc = (): Promise<bigint> => usdcOf(algod, payer.address);
  const before = await usdc();
  const service = await paidService();
  const page = await browser.newPage();
  const shown = await servePage(new URL('page.ts', import.meta.url));
  servers.push(shown);
  await page.goto(shown.url);
  await page.waitForFunction(() => 'pay' in globalThis);
  const pay = (path: string) =>
    page.evaluate(([url, algodUrl, token, secret]) => globalThis.window.pay(url, { url: algodUrl, token }, secret), [
      service + path,
      stack.node.url,
      NODE_TOKEN,
      payer.mnemonic,
    ] as const);
  const paid = await pay('/open/news');
  expect(paid).toEqual({
    status: 200,
    body: { news: 'good' },
    transaction: expect.stringMatching(/^[A-Z2-7]{52}$/),
    asked: 1,
  });
  expect((await algod.pendingTransaction(paid.transaction ?? ''))?.confirmedRound).toBeGreaterThan(0n);
  expect(before - (await usdc())).toBe(10_000n);

  // Without leave by CORS the browser does not even show the offer.
  await expect(pay('/shut/news')).rejects.toThrow('Failed to fetch');
  expect(before - (await usdc())).toBe(10_000n);
}, 120_000);

it('a body is whole, though the browser collects garbage before the page reads it', async () => {
  const page = await browser.newPage();
  await page.addInitScript(() => {
    globalThis.window.beforeReading = async () => {
      for (let round = 0; round < 20; round++) {
        // Young objects enough that the young generation is collected, and a task in which finalizers run.
        Array.from({ length: 200_000 }, (_, index) => ({ index }));
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
  });
  const shown = await servePage(new URL('page.ts', import.meta.url));
  servers.push(shown);
  await page.goto(shown.url);
  await page.waitForFunction(() => 'pay' in globalThis);
  const paid = await page.evaluate(
    ([url, algodUrl, token, secret]) => globalThis.window.pay(url, { url: algodUrl, token }, secret),
    [`${await paidService()}/open/news`, stack.node.url, NODE_TOKEN, stack.accounts.payer3.mnemonic] as const,
  );
  expect(paid.body).toEqual({ news: 'good' });
}, 120_000);
