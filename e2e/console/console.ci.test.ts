import { readFileSync } from 'node:fs';
import { createDevControls } from '@avm402/devnode';
import { errorCatalogue } from '@avm402/core/errors';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Stack } from '@avm402/stack';
import { NODE_TOKEN, startConsole } from '@avm402/stack/programs';
import { USDC } from '@avm402/stack/balances';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { avm402 } from '../programs/avm402.ts';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
let stack: Stack;
let page: Page;
let url: string;
let open: Stage['open'];
let payWeather: Stage['payWeather'];

beforeAll(async () => {
  stage = await startStage();
  ({ stack, page, url, open, payWeather } = stage);
}, 120_000);
afterAll(() => stage?.[Symbol.asyncDispose]());
afterEach(() => expect(stage.complaints).toEqual([]));

describe('payments', () => {
  it('are missing at first, and the page says how a role reports them', async () => {
    await open('payments');
    await page.getByText('No payments reported yet').waitFor();
    await page.getByText(`OTEL_EXPORTER_OTLP_ENDPOINT=${url}`).waitFor();
  });

  it('appear as they happen, with each step of the seller and the group on chain', async () => {
    await open('payments');
    const transaction = await payWeather();
    await page
      .getByRole('listitem')
      .filter({ has: page.getByTitle(transaction) })
      .getByRole('link')
      .first()
      .click();
    await page.getByTitle(transaction).first().waitFor();
    const steps = page.getByRole('region', { name: 'Steps' }).locator('tbody tr');
    await steps.filter({ hasText: 'settle' }).first().waitFor();
    expect(await steps.locator('td:first-child').allInnerTexts()).toEqual(
      expect.arrayContaining(['answer', 'ask for a verdict', 'run the handler', 'ask to settle']),
    );
    await page.getByText('facilitator pays 2,000 µAlgo for 2 transactions').waitFor();
    // A link to it shows the same to whoever opens it.
    await page.reload();
    await steps.filter({ hasText: 'handler' }).waitFor();
  });

  it('are made by a button, and shown from the first request to the block', async () => {
    await open('payments');
    await page.getByRole('button', { name: 'Pay for /weather' }).click();
    await page.getByRole('heading', { name: 'GET /weather' }).waitFor();
    const steps = page.getByRole('region', { name: 'Steps' }).locator('tbody td:first-child');
    await steps.filter({ hasText: 'handler' }).waitFor();
    expect(await steps.allInnerTexts()).toEqual(
      expect.arrayContaining([
        'the whole request',
        'request without payment',
        'make an offer',
        'sign the payment',
        'request with payment',
      ]),
    );
    await page.getByText('facilitator pays 2,000 µAlgo for 2 transactions').waitFor();
    // The facilitator's, which come last.
    await steps.filter({ hasText: 'wait for the block' }).waitFor();
    const required = page.locator('details').filter({ hasText: 'PAYMENT-REQUIRED' }).first();
    await required.locator('summary').click();
    await required.getByText('"accepts": [').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /signature\s+passed/ })
      .waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await stage.seriousIssues()).toEqual([]);
  });

  it('are exported, and run again elsewhere with the same end', async () => {
    const transaction = await payWeather();
    await open('payments');
    await page
      .getByRole('listitem')
      .filter({ has: page.getByTitle(transaction) })
      .getByRole('link')
      .first()
      .click();
    await page.getByTitle(transaction).first().waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    const file = await (await downloading).path();
    // Nothing of this stack is known to it: what it needs is in the file.
    const { code, stdout } = await avm402(['replay', file]);
    expect(stdout).toMatch(/^recorded {4}GET \/weather: settled [A-Z2-7]{52}$/m);
    expect(stdout).toMatch(/^sent {8}127\.0\.0\.1:\d+\/weather$/m);
    expect(stdout).toMatch(/^received {4}200$/m);
    expect(stdout).toMatch(/^checked {5}signature: passed$/m);
    expect(stdout).toMatch(/^seller {6}signature: passed$/m);
    expect(stdout).toMatch(/^facilitator verify: passed$/m);
    expect(stdout).toMatch(new RegExp(`^again {7}confirmed in round \\d+: .*${transaction}$`, 'm'));
    expect(code).toBe(0);
  });

  it('that fail show the code, and what to do about it', async () => {
    const node = createDevControls({ url: stack.node.url });
    await node.setFrozen(stack.accounts.payer.address, USDC, true);
    await open('payments');
    await page.getByRole('button', { name: 'Pay for /weather' }).click();
    const problem = page.getByRole('alert').filter({ hasText: 'invalid_exact_avm_asset_frozen' });
    expect(await problem.innerText()).toContain(errorCatalogue.invalid_exact_avm_asset_frozen.remedy);
    // The file has the ledger of then, whatever has happened since.
    await node.setFrozen(stack.accounts.payer.address, USDC, false);
    const { code, stdout } = await avm402(['replay', await stage.exportPayment()]);
    expect(stdout).toMatch(/^facilitator verify: invalid_exact_avm_asset_frozen$/m);
    expect(stdout).toMatch(/^again {7}refused: .*frozen/m);
    expect(code).toBe(0);
  });

  it('that are refused show the group that was sent, whoever paid, and nobody can pay with it', async () => {
    const node = createDevControls({ url: stack.node.url });
    await node.setFrozen(stack.accounts.payer.address, USDC, true);
    expect(await payWeather()).toBe('');
    await node.setFrozen(stack.accounts.payer.address, USDC, false);
    await open('payments');
    const refused = page.getByRole('listitem').filter({ hasText: 'invalid_exact_avm_asset_frozen' });
    // That of the button, and this one.
    await refused.nth(1).waitFor();
    // No node shows such a transaction.
    expect(await refused.locator('a[href*="#/transactions/"]').count()).toBe(0);
    await refused.first().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Its group, as it was sent' }).waitFor();
    await page.getByText('facilitator pays 2,000 µAlgo for 2 transactions').waitFor();
    expect(await page.locator('.member').allInnerTexts()).toEqual([
      expect.stringMatching(/pay\s+facilitator\s+→\s+facilitator\s+0 ALGO.*signed by nobody/s),
      expect.stringMatching(/axfer\s+payer\s+→\s+merchant\s+\$0.01 USDC.*signed by a signature/s),
    ]);
    const { group } = JSON.parse(readFileSync(await stage.exportPayment(), 'utf8')) as {
      readonly group: readonly string[];
    };
    const sent = await fetch(`${stack.node.url}/v2/transactions`, {
      method: 'POST',
      headers: { 'X-Algo-API-Token': NODE_TOKEN },
      body: Buffer.concat(group.map((member) => Buffer.from(member, 'base64'))),
    });
    expect(sent.status).toBe(400);
  });

  it('that nobody reported are called unknown', async () => {
    await open('payments');
    await page.goto(`${url}/#/payments/00000000000000000000000000000000`);
    await page.getByText('This payment was not reported').waitFor();
  });

  it('show whatever a hostile role reports as text', async () => {
    const hostile = '<img src=x onerror="document.title=1">';
    const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const attributes = {
      'url.path': hostile,
      'x402.outcome': hostile,
      'x402.amount': 'a lot',
      'x402.asset': '../../etc',
      'x402.payer': hostile,
      'x402.transaction': hostile,
      'http.response.status_code': 200,
    };
    const span = provider.getTracer('hostile').startSpan('x402.serve', { attributes });
    span.addEvent('x402.message', { 'x402.payment_required': hostile, 'url.path': hostile });
    span.addEvent('x402.check', { 'x402.check': hostile, 'x402.outcome': hostile });
    span.end();
    await provider.shutdown();
    await open('payments');
    await page.getByRole('link', { name: hostile }).first().click();
    await page.getByRole('heading', { name: hostile }).waitFor();
    await page.getByText('a lot').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).toBe('Payments · avm402 console');
  });

  it('are accepted only as OTLP; anything else is refused', async () => {
    const send = (type: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
      fetch(`${url}/v1/traces`, { method: 'POST', headers: { 'Content-Type': type }, body });
    expect((await send('application/json', '{}')).status).toBe(415);
    expect((await send('application/x-protobuf', new Uint8Array([10, 200, 1]))).status).toBe(400);
    expect((await send('application/x-protobuf', new Uint8Array())).status).toBe(200);
  });
});

describe('channels', () => {
  it('are missing until a payment goes through one', async () => {
    await open('channels');
    await page.getByText('There is no channel').waitFor();
  });

  it('show the deposit, what each request spent, and the close', async () => {
    await open('channels');
    await stage.payThroughChannel(3);
    // 5 words a day at 60 atomic units: 1 + 2 + 3 days.
    await page.getByText(/open confirmed.*close confirmed/).waitFor();
    await page.getByRole('definition').getByText('$0.0018 USDC').waitFor();
    await page.getByRole('figure').getByText('$0.0018 USDC').waitFor();
    await page.getByRole('img', { name: 'after each of 3 requests' }).waitFor();
    // The close is signed by the channel's program.
    await page
      .getByText(/^close confirmed/)
      .getByRole('link')
      .click();
    await page
      .getByText(/The program that signs member \d: \d+ instructions/)
      .first()
      .waitFor();
    const steps = page.getByRole('region', { name: 'Steps of the program' }).first().locator('tbody tr');
    expect(await steps.count()).toBeGreaterThan(5);
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
      expect.stringMatching(/axfer\s+payer\s+→\s+merchant\s+\$0.01 USDC\s+fee 0 µAlgo/),
    ]);
  });

  it('are chosen by state, seller and TxID, and the choice is in the link', async () => {
    await open('settlements');
    await page.getByLabel('State').selectOption('expired');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('There is no such settlement').waitFor();
    await open(`settlements?state=confirmed&receiver=${stack.accounts.merchant.address}`);
    await page.getByRole('cell', { name: 'confirmed' }).first().waitFor();
    expect(await page.getByLabel('State').inputValue()).toBe('confirmed');
    const transaction = await page.getByRole('row').nth(1).getByRole('link').last().getAttribute('title');
    await page.getByLabel('or TxID').fill(transaction ?? '');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'Transaction' }).waitFor();
    await page
      .getByText(transaction ?? '')
      .first()
      .waitFor();
  });
});

describe('the catalogue', () => {
  it('lists what was paid for, with each offer once', async () => {
    await payWeather();
    await open('catalogue');
    const listed = page.getByRole('listitem').filter({ hasText: `${stack.weather.url}/weather` });
    await listed.filter({ hasText: '$0.01 USDC' }).waitFor();
    expect(await listed.getByText('$0.01 USDC').count()).toBe(1);
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
    await page.getByRole('button', { name: 'A minute later' }).click();
    await page.getByText(/\d s ahead of the wall clock/).waitFor();
    await page.getByRole('button', { name: /Return to snapshot/ }).click();
    await page.getByText('the wall clock', { exact: true }).waitFor();
    await page.getByText(`live, round ${round}`, { exact: true }).waitFor();
  });

  it('create money in an account, and freeze what it holds', async () => {
    const { address } = stack.accounts.payer8;
    const holding = async () => {
      const headers = { 'X-Algo-API-Token': NODE_TOKEN };
      const answer = await fetch(`${stack.node.url}/v2/accounts/${address}/assets/${USDC}`, { headers });
      return ((await answer.json()) as { readonly 'asset-holding': { amount: number; 'is-frozen': boolean } })[
        'asset-holding'
      ];
    };
    const { amount } = await holding();
    await open('controls');
    const does = async (deed: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Account' }).fill(address);
      await page.getByLabel('What happens to it').selectOption(deed);
      await page.getByRole('textbox', { name: 'Units' }).fill('7');
      await page.getByRole('button', { name: 'Do it' }).click();
    };
    await does('gets units of the asset');
    await expect.poll(holding).toMatchObject({ amount: amount + 7, 'is-frozen': false });
    await does('has the asset frozen');
    await expect.poll(holding).toMatchObject({ 'is-frozen': true });
    await does('has the asset thawed');
    await expect.poll(holding).toMatchObject({ 'is-frozen': false });
    await page.getByRole('textbox', { name: 'Asset' }).fill('1');
    await does('has the asset frozen');
    await page.getByRole('alert').filter({ hasText: 'refused' }).waitFor();
  });

  it('set a fault that strikes, and take it away', async () => {
    await open('controls');
    await page.getByLabel('Route').selectOption('GET /v2/blocks/{round}/txids');
    await page.getByRole('button', { name: 'Set the fault' }).click();
    await page.getByText('answers 503, 1 times').waitFor();
    // No role asks for this one now, and takes the fault.
    const txIds = (): Promise<Response> =>
      fetch(`${stack.node.url}/v2/blocks/1/txids`, { headers: { 'X-Algo-API-Token': NODE_TOKEN } });
    expect((await txIds()).status).toBe(503);
    await page.getByRole('button', { name: /Remove fault/ }).click();
    await page.getByText('None is set').waitFor();
    expect((await txIds()).status).toBe(200);
  });
});

describe('a console whose roles do not answer', () => {
  it('says which of them is missing, in each view that needs it', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const roles = { nodeUrl: nowhere, facilitatorUrl: nowhere, resourceUrl: `${nowhere}/weather` };
    await using lonely = await startConsole(roles);
    const context = await page.context().browser()?.newContext();
    const other = await context?.newPage();
    const says = async (view: string, words: string): Promise<void> => {
      await other?.goto(`${lonely.url}/#/${view}`);
      await other?.getByRole('alert').filter({ hasText: words }).waitFor();
    };
    await says('chain', 'no node answers');
    await says('controls', 'no node answers');
    await says('settlements', 'no facilitator answers');
    await other?.getByRole('status').filter({ hasText: 'the node does not answer' }).waitFor();
    await context?.close();
  });
});

describe('a link that leads nowhere', () => {
  it.each(['nowhere', '__proto__', 'constructor'])('is told as that: %s', async (view) => {
    await page.goto(`${url}/#/${view}`);
    await page.getByText('There is no such page.').waitFor();
  });
});

it.each(['constructor', '__proto__'])(
  'a text that every object has a member for is nobody’s name: %s',
  async (text) => {
    await page.goto(`${url}/#/accounts/${text}`);
    await page.getByText(`error unmarshaling '${text}'`).waitFor();
    await open('controls');
    await page.getByRole('button', { name: 'Take a snapshot' }).waitFor();
  },
);

describe('without a mouse', () => {
  it('people can skip the navigation, and follow each of its links', async () => {
    await open('payments');
    await page.reload();
    await page.locator('main h1').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
    await page.getByRole('link', { name: 'Controls' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Blocks and time' }).waitFor();
    expect(await page.getByRole('link', { name: 'Controls' }).getAttribute('aria-current')).toBe('page');
  });
});

describe('the server', () => {
  it('answers only its own page: no other origin, no rebound name', async () => {
    const control = `${url}/api/controls/mine`;
    const body = JSON.stringify({ rounds: 1 });
    const headers = { 'Content-Type': 'application/json', Origin: 'http://evil.example' };
    expect((await fetch(control, { method: 'POST', headers, body })).status).toBe(403);
    const allowed = { ...headers, Origin: url };
    expect((await fetch(control, { method: 'POST', headers: allowed, body })).status).toBe(200);
  });

  it('passes on only algod’s interface, whatever path the page asks for', async () => {
    const statusAt = async (path: string) => (await fetch(`${url}/api/node/${path}`)).status;
    expect(await statusAt('..%2f..%2fdev/dump')).toBe(404);
    expect(await statusAt('accounts/..%2f..%2fdev%2fdump')).toBe(400);
  });
});
