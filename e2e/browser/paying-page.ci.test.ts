import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createAccount } from '@avm402/algorand/account';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { createDevControls, type DevControls } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { USDC, usdcOf } from '@avm402/stack/balances';
import { launchChromium } from '@avm402/testkit/chromium';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fencedBlocks } from '../documentation/pages.ts';
import { installLute } from './lute-extension.ts';
import { payFrom } from './paying-person.ts';
import { HOSTILE, openPayingShop, type PayingShop } from './paying-shop.ts';

let stack: Stack;
let algod: AlgodClient;
let node: DevControls;
let browser: Browser;
let shop: PayingShop;

beforeAll(async () => {
  stack = await startStack();
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  node = createDevControls({ url: stack.node.url, token: NODE_TOKEN });
  // A settlement that takes longer is pending to the seller, and to the page.
  shop = await openPayingShop(stack, { settleTimeoutMs: 500, onEvent: () => undefined });
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser.close();
  await shop.stop();
  await stack.stop();
});

/** A page of a browser that knows nothing yet. */
async function newPage(options?: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(15_000);
  return page;
}

async function open(path: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await newPage(options);
  await page.goto(shop.url + path);
  return page;
}

/** The text of an alert: what happened, what helps, and the code. */
async function alertOn(page: Page): Promise<readonly string[]> {
  const alert = page.getByRole('alert');
  await alert.waitFor();
  return alert.locator('p').allInnerTexts();
}

/** The margin of a picture around the text, in pixels. */
const EDGE = 16;

/** Pictures of docs/paying-page.md; UPDATE_SCREENSHOTS=true makes them anew. */
async function shoot(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE_SCREENSHOTS'] !== 'true') return;
  const path = fileURLToPath(new URL(`../../docs/paying-page/${name}.png`, import.meta.url));
  const main = await page.locator('main').boundingBox();
  if (!main) throw new Error('the page shows nothing');
  const clip = { x: main.x - EDGE, y: main.y - EDGE, width: main.width + 2 * EDGE, height: main.height + 2 * EDGE };
  await page.screenshot({ path, clip, fullPage: true });
}

it('a person pays with a development account, sees each step and then the content; a cent moves', async () => {
  const page = await newPage();
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await page.goto(`${shop.url}/weather`);
  expect(await page.locator('main').innerText()).toContain('$0.01 USDC on LocalNet');
  const { address } = stack.accounts.payer2;
  const before = await usdcOf(algod, address);
  await payFrom(page, 'payer2');
  await expect.poll(() => page.getByRole('status').textContent()).toBe('Sign the payment in your wallet …');
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('"report": "sunny"').waitFor();
  expect(await page.getByRole('status').textContent()).toMatch(
    /^Paid \$0\.01 USDC on LocalNet, transaction [A-Z2-7]{52}\.$/,
  );
  expect(before - (await usdcOf(algod, address))).toBe(10_000n);
  const elsewhere = asked.filter((url) => ![shop.url, stack.node.url, 'blob:'].some((known) => url.startsWith(known)));
  expect(elsewhere).toEqual([]);
});

it('has one main button, links to a wallet that does not answer, and says what to do without one', async () => {
  const page = await newPage();
  await page.goto(`${shop.url}/weather`);
  const till = page.getByRole('region', { name: 'Pay here' });
  await till.getByRole('button', { name: 'Kibisis' }).waitFor();
  expect(await till.locator('button.primary').allTextContents()).toEqual(['Development account']);
  await till.getByText('I have no wallet').click();
  await till.getByText(`npx avm402 pay ${shop.url}/weather`).waitFor();
  await till.getByRole('button', { name: 'Kibisis' }).click();
  const link = till.getByRole('link', { name: 'Get Kibisis' });
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe('https://kibis.is');
  await expectReadable(page);
});

it('a person pays with Lute through use-wallet', async () => {
  const page = await newPage();
  const account = createAccount();
  await node.fund(account.address, 1_000_000n);
  await node.deal(account.address, USDC, 50_000n);
  await installLute(page, account);
  await page.goto(`${shop.url}/weather`);
  await page.getByRole('button', { name: 'Lute' }).click();
  await page.getByText('"report": "sunny"').waitFor();
  expect(await usdcOf(algod, account.address)).toBe(40_000n);
});

it('an account that has not opted in is told so, pays nothing, and pays with what it signed once it has', async () => {
  const page = await newPage();
  const account = createAccount();
  await node.fund(account.address, 1_000_000n);
  await installLute(page, account);
  await page.goto(`${shop.url}/weather`);
  await page.getByRole('button', { name: 'Lute' }).click();
  const [message, remedy, code] = await alertOn(page);
  expect(code).toBe('invalid_exact_avm_payer_not_opted_in');
  expect(message).toContain('opted in');
  expect(remedy).toContain('Opt');
  await node.deal(account.address, USDC, 10_000n);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('"report": "sunny"').waitFor();
  expect(await usdcOf(algod, account.address)).toBe(0n);
});

it('a payment that has expired is no longer told as one on its way: refusing the next signature pays nothing', async () => {
  const page = await open('/costly');
  await payFrom(page, 'payer3');
  await page.getByRole('button', { name: 'Sign' }).click();
  await alertOn(page);
  await node.mine(1_001);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  await expect.poll(() => alertOn(page)).toContain('signer_failed');
  expect((await alertOn(page)).join(' ')).not.toContain('not known yet');
  expect((await alertOn(page))[1]).toBe('Approve the request in the wallet.');
});

it('a buyer with too little money is told so', async () => {
  const page = await open('/costly');
  await payFrom(page, 'payer3');
  await page.getByRole('button', { name: 'Sign' }).click();
  expect((await alertOn(page)).at(-1)).toBe('invalid_exact_avm_insufficient_balance');
});

it('while no block comes the page says not to pay again, and shows the content once one has', async () => {
  const page = await open('/weather');
  const { address } = stack.accounts.payer5;
  const before = await usdcOf(algod, address);
  await payFrom(page, 'payer5');
  await node.pause();
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('Do not pay again; this page keeps asking').waitFor();
  const leaves = (): Promise<boolean> =>
    page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })));
  expect(await leaves()).toBe(false);
  await node.resume();
  await page.getByText('"report": "sunny"').waitFor();
  expect(await leaves()).toBe(true);
  expect(before - (await usdcOf(algod, address))).toBe(10_000n);
});

it('a wallet that was given up while the code that pays was loading is not asked to sign', async () => {
  const page = await newPage();
  const arrived = Promise.withResolvers<void>();
  await page.route('**/checkout-*.js', async (route) => {
    await arrived.promise;
    await route.continue();
  });
  await page.goto(`${shop.url}/weather`);
  await payFrom(page, 'payer4');
  await page.getByRole('button', { name: 'Another wallet' }).click();
  const loaded = page.waitForResponse('**/checkout-*.js');
  arrived.resolve();
  await (await loaded).finished();
  await payFrom(page, 'payer7');
  expect(await page.getByRole('dialog').innerText()).toContain('sign this payment as payer7?');
});

it('a person who clicks twice is asked to sign one payment', async () => {
  const page = await open('/weather');
  await page.getByRole('button', { name: 'Development account' }).click();
  await page.getByRole('button', { name: /^Pay \$/ }).dblclick();
  await page.getByRole('button', { name: 'Sign' }).first().waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('dialog').count()).toBe(1);
});

it('content that breaks off is told as that, and comes with the same payment', async () => {
  const page = await newPage();
  await page.addInitScript(() => {
    const { fetch } = globalThis;
    let isTorn = false;
    globalThis.fetch = async (...asked) => {
      const response = await fetch(...asked);
      if (isTorn || !response.headers.has('PAYMENT-RESPONSE')) return response;
      isTorn = true;
      const torn = new ReadableStream({ start: (body) => body.error(new TypeError('network error')) });
      return new Response(torn, response);
    };
  });
  await page.goto(`${shop.url}/weather`);
  const { address } = stack.accounts.payer7;
  const before = await usdcOf(algod, address);
  await payFrom(page, 'payer7');
  await page.getByRole('button', { name: 'Sign' }).click();
  const [message, , code] = await alertOn(page);
  expect(message).toMatch(
    /^The payment settled, but what was paid for did not arrive whole\. Transaction [A-Z2-7]{52}\.$/,
  );
  expect(code).toBe('payment_settled_without_response');
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByText('"report": "sunny"').waitFor();
  expect(before - (await usdcOf(algod, address))).toBe(10_000n);
});

it('a price that has changed since the page was shown is not paid', async () => {
  const page = await open('/changing');
  shop.price = '$0.02';
  const before = await usdcOf(algod, stack.accounts.payer6.address);
  await payFrom(page, 'payer6');
  expect((await alertOn(page))[0]).toBe('The seller no longer asks for what this page shows. Nothing was paid.');
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await page.getByText('$0.02').first().waitFor();
  await payFrom(page, 'payer6');
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('"report": "sunny"').waitFor();
  expect(before - (await usdcOf(algod, stack.accounts.payer6.address))).toBe(20_000n);
});

it('an offer of at most a price is shown as that, and can’t be chosen, because no wallet signs its program', async () => {
  const page = await open('/forecast');
  expect(await page.locator('main').innerText()).toMatch(/up to \$0\.01 USDC on LocalNet\s+what was used is charged/);
  await page.getByRole('radio').first().waitFor();
  expect(await page.getByRole('radio').count()).toBe(2);
  // The receiver of all offers is shown before one chooses.
  const [seller, panel] = [page.getByText('to TSHTNLDC'), page.getByRole('region', { name: 'Pay here' })];
  expect((await seller.boundingBox())?.y).toBeLessThan((await panel.boundingBox())?.y ?? 0);
});

it('a channel is opened with one signature, and pays again after the page is loaded anew without another', async () => {
  const page = await open('/forecast');
  const { address } = stack.accounts.payer8;
  const before = await usdcOf(algod, address);
  await page.getByLabel(/^Open a channel/).check();
  await page.getByRole('heading', { name: 'Deposit $1 USDC with' }).waitFor();
  await payFrom(page, 'payer8');
  // The offer that is being paid can't be switched for another one.
  const other = page.getByLabel(/^Pay \$0\.01 USDC on LocalNet once/);
  expect(await other.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Refuse' }).click();
  expect((await alertOn(page)).at(-1)).toBe('signer_failed');
  expect(await other.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Another wallet' }).click();
  expect(await other.isDisabled()).toBe(false);
  await payFrom(page, 'payer8');
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('"forecast": "sunny"').waitFor();
  const deposited = before - (await usdcOf(algod, address));
  expect(deposited).toBe(1_000_000n);
  await page.reload();
  await page.getByLabel(/^Open a channel/).check();
  await payFrom(page, 'payer8');
  await page.getByText('"forecast": "sunny"').waitFor();
  expect(before - (await usdcOf(algod, address))).toBe(deposited);
  // A close that fails can be tried again.
  const close = page.getByRole('button', { name: /^Close the channel/ });
  await page.route('**/forecast', (route) => route.abort(), { times: 1 });
  await close.click();
  await page.getByText('The channel is not closed').waitFor();
  await close.click();
  await page.getByText('The channel is closed').waitFor();
  expect(before - (await usdcOf(algod, address))).toBe(800n);
});

it('HTML that was paid for runs with its links and scripts, in an origin of its own that reads nothing of the seller’s', async () => {
  const page = await open('/article');
  await payFrom(page, 'payer');
  await page.getByRole('button', { name: 'Sign' }).click();
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Good news' }).waitFor();
  expect(await frame.getByRole('link').evaluate((link: HTMLAnchorElement) => link.href)).toBe(`${shop.url}/other`);
  const inner = page.frames().find((candidate) => candidate !== page.mainFrame());
  await expect.poll(() => inner?.evaluate(() => document.title)).toBe('It runs');
  const kept = () => {
    try {
      return [parent.document.title, localStorage.length];
    } catch {
      return 'kept out';
    }
  };
  expect([await inner?.evaluate(() => origin), await inner?.evaluate(kept)]).toEqual(['null', 'kept out']);
  await page.goto(new URL((await page.locator('iframe').getAttribute('src')) ?? '', shop.url).href);
  expect(await page.evaluate(() => origin)).toBe('null');
});

it('what a stranger wrote stays text, and breaks nothing', async () => {
  const page = await open('/hostile', { viewport: { width: 360, height: 740 } });
  await page.getByRole('button', { name: 'Development account' }).waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(HOSTILE);
  expect(await page.evaluate(() => 'broken' in globalThis)).toBe(false);
  await expectReadable(page);
});

it('before a wallet is chosen the seller alone is asked, for less than 60 kB; one script runs by its nonce', async () => {
  const page = await newPage();
  const asked: { readonly url: string; readonly bytes: Promise<number> }[] = [];
  const complaints: string[] = [];
  page.on('requestfinished', (request) =>
    asked.push({
      url: request.url(),
      bytes: request
        .sizes()
        .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
    }),
  );
  page.on('console', (message) => complaints.push(message.text()));
  const answer = await page.goto(`${shop.url}/weather`);
  await page.getByRole('button', { name: 'Pera' }).waitFor();
  expect(asked.filter(({ url }) => !url.startsWith(shop.url))).toEqual([]);
  const sizes = await Promise.all(asked.map(({ bytes }) => bytes));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[\w-]{22}' 'strict-dynamic';/);
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
});

it('without scripts the page says once what is sold, for how much, where and to whom', async () => {
  const page = await open('/weather', { javaScriptEnabled: false });
  const text = await page.locator('main').innerText();
  expect(text.match(/\$0\.01 USDC on LocalNet/g)).toHaveLength(1);
  expect(text).toContain(`to ${stack.accounts.merchant.address}`);
  expect(await page.getByRole('button').count()).toBe(0);
});

/** Breaks no number, scrolls nowhere to the side, and keeps nobody out. */
async function expectReadable(page: Page): Promise<void> {
  const [isWider, lines] = await page.evaluate(() => [
    document.documentElement.scrollWidth > innerWidth,
    [...document.querySelectorAll('.amount')].map((amount) => amount.getClientRects().length),
  ]);
  expect(isWider).toBe(false);
  expect(lines).toEqual(lines.map(() => 1));
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

it.each([
  { width: 360, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const)(
  'at $width px, $colorScheme, everyone can read the payment panel, the refusal of a signature, which pays nothing, and the content',
  async ({ width, colorScheme }) => {
    const page = await open('/forecast', { viewport: { width, height: 740 }, colorScheme });
    await page.getByRole('button', { name: 'Pera' }).waitFor();
    await expectReadable(page);
    await shoot(page, `till-${width}`);
    const { address } = stack.accounts.payer;
    const before = await usdcOf(algod, address);
    await payFrom(page, 'payer');
    await page.getByRole('button', { name: 'Refuse' }).click();
    expect((await alertOn(page)).slice(1)).toEqual(['Approve the request in the wallet.', 'signer_failed']);
    expect(await usdcOf(algod, address)).toBe(before);
    await expectReadable(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Sign' }).click();
    await page.getByText('"forecast": "sunny"').waitFor();
    expect(before - (await usdcOf(algod, address))).toBe(10_000n);
    await expectReadable(page);
  },
);

it('the seller of the README has a page that takes payments', async () => {
  const [shown = ''] = fencedBlocks('packages/paying-page/README.md', 'ts');
  const code = shown.replace('listen(4024)', 'listen(0, function () { console.log(this.address().port); })');
  const seller = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { AVM_ADDRESS: stack.accounts.merchant.address, FACILITATOR_URL: stack.facilitator.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(seller.stdout, 'data')) as [Buffer];
    const page = await newPage();
    await page.goto(`http://127.0.0.1:${port.toString().trim()}/weather`);
    await page.getByRole('heading', { name: 'Pay $0.01 USDC with' }).waitFor();
  } finally {
    seller.kill();
  }
});
