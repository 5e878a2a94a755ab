import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { createDevControls } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import type { Program } from '@avm402/stack/program';
import { NODE_TOKEN, startConsole } from '@avm402/stack/programs';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../browser/chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The narrowest and a wide screen, in pixels. */
const WIDTHS = [360, 1280];

let stack: Stack;
let running: Program;
let browser: Browser;
let page: Page;
/** What the page wrote to the browser's console, and whom else it asked. */
const complaints: string[] = [];

beforeAll(async () => {
  stack = await startStack({ facilitatorEnvironment: { OPEN_LEDGER: 'true' } });
  running = await startConsole({
    nodeUrl: stack.node.url,
    facilitatorUrl: stack.facilitator.url,
    resourceUrl: `${stack.weather.url}/weather`,
  });
  browser = await launchChromium();
  page = await browser.newPage();
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(running.url)) complaints.push(request.url());
  });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await running?.stop();
  await stack?.stop();
  expect(complaints).toEqual([]);
});
beforeEach(() => void complaints.splice(0));

async function open(link: string): Promise<void> {
  await page.goto(`${running.url}/#/${link}`);
  await page.locator('main h1').waitFor();
}

/** What is seriously wrong for people who can't see, or can't point. */
async function seriousIssues(): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe('the chain', () => {
  it('shows a new block when it is made, without being asked', async () => {
    await open('chain');
    await page.locator('table').first().getByRole('link').first().waitFor();
    const round = await createDevControls({ url: stack.node.url }).mine();
    await page.getByRole('link', { name: String(round), exact: true }).waitFor();
  });

  it('names accounts, and shows what one holds in units that people read', async () => {
    await open('chain');
    await page.getByRole('link', { name: 'payer', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: '1,000,000 USDC' }).waitFor();
  });

  it('says of an address that is none what the node says', async () => {
    await open('accounts/NOBODY');
    await page.getByRole('alert').waitFor();
  });
});

describe('settlements', () => {
  it('show a payment when it is settled, and lead to the group that it was settled with', async () => {
    await open('settlements');
    await page.getByText('There is no such settlement').waitFor();
    const pay = createPayingFetch({
      account: parseAccount(stack.accounts.payer.privateKey),
      networks: { 'algorand:*': { url: stack.node.url, token: NODE_TOKEN } },
    });
    const transaction = settlementOf(await pay(`${stack.weather.url}/weather`))?.transaction ?? '';
    await page.getByTitle(transaction).click();
    await page.getByText('facilitator pays 2,000 µAlgo for 2 transactions').waitFor();
    expect(await page.locator('.member').allInnerTexts()).toEqual([
      expect.stringMatching(/pay\s+facilitator\s+→\s+facilitator\s+0 ALGO/),
      expect.stringMatching(/axfer\s+payer\s+→\s+merchant\s+0.01 USDC\s+fee 0 µAlgo/),
    ]);
  });

  it('are chosen by state and seller, and the choice is in the link', async () => {
    await open('settlements');
    await page.getByLabel('State').selectOption('expired');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('There is no such settlement').waitFor();
    await open(`settlements?state=confirmed&receiver=${stack.accounts.merchant.address}`);
    await page.getByRole('cell', { name: 'confirmed' }).waitFor();
    expect(await page.getByLabel('State').inputValue()).toBe('confirmed');
  });
});

describe('the controls', () => {
  it('take a snapshot, and return to it', async () => {
    await open('controls');
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    const snapshot = page.getByText(/Snapshot \d+, at round (\d+)/);
    const [, round = ''] = /at round (\d+)/.exec(await snapshot.innerText()) ?? [];
    await page.getByRole('button', { name: 'Mine 10' }).click();
    await page.getByText(`live, round ${Number(round) + 10}`).waitFor();
    await page.getByRole('button', { name: /Return to snapshot/ }).click();
    await page.getByText(`live, round ${round}`, { exact: true }).waitFor();
  });

  it('set a fault that strikes, and take it away', async () => {
    await open('controls');
    await page.getByLabel('Route').selectOption('GET /v2/transactions/params');
    await page.getByRole('button', { name: 'Set the fault' }).click();
    await page.getByText('answers 503, 1 times').waitFor();
    const params = (): Promise<Response> =>
      fetch(`${stack.node.url}/v2/transactions/params`, { headers: { 'X-Algo-API-Token': NODE_TOKEN } });
    expect((await params()).status).toBe(503);
    await page.getByRole('button', { name: /Remove fault/ }).click();
    await page.getByText('None is set').waitFor();
    expect((await params()).status).toBe(200);
  });
});

describe('the server', () => {
  it('answers its own page alone: no other origin, no name that was rebound', async () => {
    const control = `${running.url}/api/controls/mine`;
    const body = JSON.stringify({ rounds: 1 });
    const headers = { 'Content-Type': 'application/json', Origin: 'http://evil.example' };
    expect((await fetch(control, { method: 'POST', headers, body })).status).toBe(403);
    const allowed = { ...headers, Origin: running.url };
    expect((await fetch(control, { method: 'POST', headers: allowed, body })).status).toBe(200);
  });

  it('gives the page of algod’s interface alone, whatever path it asks for', async () => {
    const answer = await fetch(`${running.url}/api/node/..%2f..%2fdev/dump`);
    expect(answer.status).toBe(404);
  });
});

describe('people', () => {
  it.each(['chain', 'settlements', 'catalogue', 'controls', 'blocks/0'])(
    'can use %s at each width, in light and dark',
    async (view) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await open(view);
          expect(await seriousIssues()).toEqual([]);
        }
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${view} at ${width} px`).toBe(0);
      }
    },
  );
});
