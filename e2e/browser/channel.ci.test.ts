import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { charge, createSeller, createMemoryChannelStore, type Seller, x402ResourceServer } from '@avm402/server';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { usdcOf } from '@avm402/stack/balances';
import { launchChromium } from '@avm402/testkit/chromium';
import { HTTPFacilitatorClient } from '@x402/core/server';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fencedBlocks } from '../documentation/pages.ts';
import { offerOf } from '../payment.ts';
import { allowPages } from './allow-pages.ts';
import type { ManyPaid } from './channel-page.ts';
import { type Served, served } from '../served.ts';
import { servePage } from './served-page.ts';

const REQUESTS = 100;
let stack: Stack;
let algod: AlgodClient;
let browser: Browser;
const servers: Served[] = [];
const sellers: Seller[] = [];

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

/** A metered route that pages of other origins may ask, sold through channels alone. */
async function paidService(): Promise<string> {
  const [offer] = offerOf(await fetch(`${stack.weather.url}/weather`)).accepts;
  if (!offer) throw new Error('the weather server offers nothing');
  const { network, payTo } = offer;
  const facilitator = new HTTPFacilitatorClient({ url: stack.facilitator.url });
  const server = new x402ResourceServer(facilitator)
    .register('algorand:*', new ExactAvmServer())
    .register('algorand:*', new BatchSettlementAvmServer());
  const seller = createSeller({ server, channels: { store: createMemoryChannelStore() } });
  sellers.push(seller);
  const accepts = await seller.accepts({ price: '$0.001', payTo, network, schemes: ['batch-settlement'] });
  const app = express();
  app.use(allowPages);
  app.use(seller.middleware({ 'GET /news': { accepts } }));
  app.get('/news', (_request, response) => {
    charge(response, 400n);
    response.json({ news: 'good' });
  });
  const listening = await served(app);
  servers.push(listening);
  return listening.url;
}

/** Pages may ask what this server asks another one; nothing else of either message changes. */
async function openedToPages(url: string): Promise<string> {
  const app = express();
  app.use(allowPages, (asked, answer) => {
    const { method, headers, url: path } = asked;
    const passed = request(url + path, { method, headers }, (response) => {
      for (const [name, value] of Object.entries(response.headers)) answer.setHeader(name, value ?? '');
      response.pipe(answer.status(response.statusCode ?? 502));
    });
    asked.pipe(passed);
  });
  const listening = await served(app);
  servers.push(listening);
  return listening.url;
}

/** Opens the page, on an origin of its own; `written` is what its console shows. */
async function openPage(): Promise<{ readonly page: Page; readonly written: readonly string[] }> {
  const page = await browser.newPage();
  const written: string[] = [];
  page.on('console', (message) => void written.push(message.text()));
  page.on('pageerror', (error) => void written.push(error.message));
  const shown = await servePage(new URL('channel-page.ts', import.meta.url));
  servers.push(shown);
  await page.goto(shown.url);
  return { page, written };
}

async function payIn(page: Page, url: string): Promise<ManyPaid> {
  await page.waitForFunction(() => 'payMany' in globalThis);
  return page.evaluate(
    ([asked, count, algodUrl, token, secret]) =>
      globalThis.window.payMany(asked, count, { url: algodUrl, token }, secret),
    [url, REQUESTS, stack.node.url, NODE_TOKEN, stack.accounts.payer3.mnemonic] as const,
  );
}

/** All requests answered with a receipt, after one prompt of the wallet. */
const ALL_PAID = {
  statuses: Array.from({ length: REQUESTS }, () => 200),
  transactions: [expect.stringMatching(/^[A-Z2-7]{52}$/), ''],
  asked: 1,
};

it(`a page in Chromium asks its wallet once, for the deposit, and then pays ${REQUESTS} requests; the close agrees to the unit`, async () => {
  const payer = stack.accounts.payer3.address;
  const before = await usdcOf(algod, payer);
  const { page } = await openPage();
  const paid = await payIn(page, `${await paidService()}/news`);
  expect(paid).toEqual({ ...ALL_PAID, charged: (400 * REQUESTS).toString() });
  for (const seller of sellers) await seller.channels?.stop({ close: true });
  expect(before - (await usdcOf(algod, payer))).toBe(BigInt(400 * REQUESTS));
}, 120_000);

it('the page pays as docs/client.md shows it', () => {
  const source = readFileSync(new URL('channel-page.ts', import.meta.url), 'utf8');
  const [shown] = fencedBlocks('docs/client.md', 'js');
  expect(shown).toContain('createPayingFetch');
  expect(source.replaceAll(/^ +/gm, '')).toContain(shown);
});

it('a page that is loaded again goes on with its channel, and asks its wallet for nothing', async () => {
  const { page } = await openPage();
  const url = `${await paidService()}/news`;
  expect(await payIn(page, url)).toMatchObject(ALL_PAID);
  await page.reload();
  expect(await payIn(page, url)).toMatchObject({ ...ALL_PAID, transactions: [''], asked: 0 });
}, 120_000);

it('a record of a channel that can’t be read lets nothing leave', async () => {
  const { page } = await openPage();
  const url = `${await paidService()}/news`;
  await payIn(page, url);
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('avm402-channels');
        opening.addEventListener('success', () => {
          const transaction = opening.result.transaction('channels', 'readwrite');
          transaction.objectStore('channels').put('{}', 'a channel');
          transaction.addEventListener('complete', resolve);
        });
      }),
  );
  const payer = stack.accounts.payer3.address;
  const before = await usdcOf(algod, payer);
  await page.reload();
  await expect(payIn(page, url)).rejects.toThrow('can’t be read');
  expect(await usdcOf(algod, payer)).toBe(before);
}, 120_000);

it(`a page in Chromium pays the weather server for ${REQUESTS} forecasts; what it was charged is what the merchant gets`, async () => {
  const merchant = stack.accounts.merchant.address;
  const before = await usdcOf(algod, merchant);
  const { page, written } = await openPage();
  const paid = await payIn(page, `${await openedToPages(stack.weather.url)}/forecast`);
  expect(paid).toMatchObject(ALL_PAID);
  // The browser itself tells of the one unpaid request; the page is silent.
  expect(written).toEqual(['Failed to load resource: the server responded with a status of 402 (Payment Required)']);
  expect(await usdcOf(algod, merchant)).toBe(before);
  await stack.weather.stop();
  expect((await usdcOf(algod, merchant)) - before).toBe(BigInt(paid.charged));
}, 120_000);
