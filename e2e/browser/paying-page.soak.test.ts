import { createAlgodClient } from '@avm402/algorand/algod';
import { createDevControls } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { usdcOf } from '@avm402/stack/balances';
import { launchChromium } from '@avm402/testkit/chromium';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payFrom } from './paying-person.ts';
import { openPayingShop, type PayingShop } from './paying-shop.ts';

let stack: Stack;
let browser: Browser;
let shop: PayingShop;

beforeAll(async () => {
  stack = await startStack();
  shop = await openPayingShop(stack);
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser.close();
  await shop.stop();
  await stack.stop();
});

async function open(path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(shop.url + path);
  return page;
}

it('a payment that expired while the wallet waited takes nothing; the one that replaces it pays once', async () => {
  const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  const { address } = stack.accounts.payer7;
  const usdc = (): Promise<bigint> => usdcOf(algod, address);
  const before = await usdc();
  const page = await open('/weather');
  await payFrom(page, 'payer7');
  await page.getByRole('button', { name: 'Sign' }).waitFor();
  // Longer than a payment is valid.
  await createDevControls({ url: stack.node.url, token: NODE_TOKEN }).mine(1100);
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('"report": "sunny"').waitFor();
  expect(before - (await usdc())).toBe(10_000n);
});

it.each([
  ['Pera', 'pera-wallet-connect-modal', 'https://wc.perawallet.app'],
  ['Defly', 'defly-wallet-connect-modal', 'https://static.defly.app'],
])('%s shows its code to a phone; of others it asks its makers, but no fonts', async (name, modal, makers) => {
  const page = await open('/weather');
  // The test sends nothing to the outside.
  await page.route(/^https:/, (route) => route.abort());
  await page.routeWebSocket(/^wss:/, () => undefined);
  const asked = new Set<string>();
  const refused = new Set<string>();
  page.on('request', (request) => void asked.add(new URL(request.url()).origin));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.add(message.text().split("'")[1] ?? '');
  });
  await page.getByRole('button', { name }).click();
  await page.locator(modal).locator('svg, canvas').first().waitFor();
  // The modal asks for its fonts with its first picture.
  await expect.poll(() => refused.size).toBeGreaterThan(0);
  const fonts = 'https://fonts.googleapis.com';
  expect([...refused].filter((url) => !url.startsWith(fonts))).toEqual([]);
  expect([...asked].filter((origin) => ![shop.url, makers, fonts, 'null'].includes(origin))).toEqual([]);
});

it('a wallet that never answers can be left for another one', async () => {
  const page = await open('/weather');
  await page.getByRole('button', { name: 'Kibisis' }).click();
  await page.getByRole('button', { name: 'Another wallet' }).click();
  await payFrom(page, 'payer6');
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('"report": "sunny"').waitFor();
});
