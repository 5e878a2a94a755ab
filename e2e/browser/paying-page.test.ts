import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from './chromium.ts';
import { openPayingShop, type PayingShop } from './paying-shop.ts';

const USDC = 10_458_941n;
let stack: Stack;
let algod: AlgodClient;
let browser: Browser;
let shop: PayingShop;

beforeAll(async () => {
  stack = await startStack();
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  shop = await openPayingShop(stack);
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser.close();
  shop.server.close();
  await stack.stop();
});

async function usdcOf(name: 'payer' | 'payer2' | 'merchant'): Promise<bigint> {
  return (await algod.accountAsset(stack.accounts[name].address, USDC))?.amount ?? 0n;
}

/** Opens a priced path as a person does. `elsewhere`: what it asked of anybody but the seller and the network's algod. */
async function open(path: string): Promise<{ readonly page: Page; readonly elsewhere: readonly string[] }> {
  const page = await (await browser.newContext()).newPage();
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (![shop.url, stack.node.url, 'blob:', 'data:'].some((known) => url.startsWith(known))) elsewhere.push(url);
  });
  page.on('console', (message) => process.env['PAGE_LOG'] && console.log(message.text()));
  page.on('pageerror', (error) => console.log(error));
  await page.goto(shop.url + path);
  return { page, elsewhere };
}

/** Goes with a development account up to its wallet's question. */
async function payFrom(page: Page, account: string): Promise<void> {
  await page.getByRole('button', { name: 'Development account' }).click();
  const select = page.getByLabel('Pay from');
  const option = await select.locator('option', { hasText: `${account} (` }).getAttribute('value');
  await select.selectOption(option);
  await page.getByRole('button', { name: /^Pay / }).click();
}

it('a person pays with a development account, sees each step and then the content; a cent moves', async () => {
  const { page, elsewhere } = await open('/weather');
  expect(await page.locator('main').innerText()).toContain('$0.01 USDC on LocalNet');
  const before = await usdcOf('payer2');
  await payFrom(page, 'payer2');
  await expect.poll(() => page.getByRole('status').textContent()).toBe('Sign the payment in your wallet …');
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('"report": "sunny"').waitFor();
  expect(await page.getByRole('status').textContent()).toMatch(
    /^Paid \$0\.01 USDC on LocalNet, transaction [A-Z2-7]{52}\.$/,
  );
  expect(before - (await usdcOf('payer2'))).toBe(10_000n);
  expect(elsewhere).toEqual([]);
});
