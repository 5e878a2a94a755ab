import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { createDevControls } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import type { Program } from '@avm402/stack/program';
import { NODE_TOKEN, startConsole } from '@avm402/stack/programs';
import type { AxeResults } from 'axe-core';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium, listen, type Listening } from '../browser/chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The narrowest and a wide screen, in pixels. */
const WIDTHS = [360, 1280];

let collector: Listening;
let stack: Stack;
let running: Program;
let browser: Browser;
let page: Page;
/** What the page wrote to the browser's console, and whom else it asked. */
const complaints: string[] = [];

/** Stands in for the console until that is started: it is told the roles' addresses, and they are told this one. */
async function relay(): Promise<Listening> {
  const app = express().use(express.raw({ type: () => true }));
  app.post('/v1/traces', async ({ body, headers }, response) => {
    const type = { 'Content-Type': headers['content-type'] ?? '' };
    const answer = await fetch(`${running.url}/v1/traces`, {
      method: 'POST',
      headers: type,
      body: body as Uint8Array<ArrayBuffer>,
    });
    response.sendStatus(answer.status);
  });
  return listen(app);
}

beforeAll(async () => {
  collector = await relay();
  const telling = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACE_DETAILS: 'true' };
  stack = await startStack({
    facilitatorEnvironment: { OPEN_LEDGER: 'true', ...telling },
    weatherEnvironment: telling,
  });
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
  collector?.server.close();
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

/** Pays the weather as a program of its own would; gives the TxID. */
async function payWeather(): Promise<string> {
  const pay = createPayingFetch({
    account: parseAccount(stack.accounts.payer.privateKey),
    networks: { 'algorand:*': { url: stack.node.url, token: NODE_TOKEN } },
  });
  return settlementOf(await pay(`${stack.weather.url}/weather`))?.transaction ?? '';
}

describe('payments', () => {
  it('are none before there is one, and the page says how a role tells of them', async () => {
    await open('payments');
    await page.getByText('No role has told of a payment yet').waitFor();
    await page.getByText(`OTEL_EXPORTER_OTLP_ENDPOINT=${running.url}`).waitFor();
  });

  it('appear as they happen, with each step of the seller and the group on chain', async () => {
    await open('payments');
    const transaction = await payWeather();
    await page.getByRole('listitem').filter({ hasText: 'settled' }).getByRole('link').first().click();
    await page.getByTitle(transaction).first().waitFor();
    const steps = page.locator('.waterfall tbody tr');
    await steps.filter({ hasText: 'settle' }).first().waitFor();
    expect(await steps.locator('td:first-child').allInnerTexts()).toEqual(
      expect.arrayContaining(['serve', 'verify', 'handler', 'settle']),
    );
    await page.getByText('facilitator pays 2,000 µAlgo for 2 transactions').waitFor();
    // A link to it shows the same to whoever opens it.
    await page.reload();
    await steps.filter({ hasText: 'handler' }).waitFor();
  });

  it('of which nothing is known are said to be unknown', async () => {
    await open('payments');
    await page.goto(`${running.url}/#/payments/00000000000000000000000000000000`);
    await page.getByText('No role has told of this payment').waitFor();
  });

  it('are taken from programs alone, as OTLP, and what is none is refused', async () => {
    const send = (type: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
      fetch(`${running.url}/v1/traces`, { method: 'POST', headers: { 'Content-Type': type }, body });
    expect((await send('application/json', '{}')).status).toBe(415);
    expect((await send('application/x-protobuf', new Uint8Array([10, 200, 1]))).status).toBe(400);
    expect((await send('application/x-protobuf', new Uint8Array())).status).toBe(200);
  });
});

describe('settlements', () => {
  it('show a payment when it is settled, and lead to the group that it was settled with', async () => {
    await open('settlements');
    const transaction = await payWeather();
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
    await page.getByRole('cell', { name: 'confirmed' }).first().waitFor();
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
  it.each(['payments', 'chain', 'settlements', 'catalogue', 'controls', 'blocks/0'])(
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
