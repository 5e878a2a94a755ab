import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, startStage } from './stage.ts';

/** The narrowest and a wide screen, in pixels. */
const WIDTHS = [360, 1280];
const SCHEMES = ['light', 'dark'] as const;
const PICTURES = fileURLToPath(new URL('../../docs/console/', import.meta.url));

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage?.[Symbol.asyncDispose]());

/** Leads to a payment that was settled, from its first request to its block. */
async function openPayment(): Promise<void> {
  const { page, open } = stage;
  await open('payments');
  await page.getByRole('button', { name: 'Pay for /weather' }).click();
  await page.getByText('facilitator pays').waitFor();
  await page.getByText('wait for the block').waitFor();
}

async function openChannel(): Promise<void> {
  await stage.payThroughChannel(8);
  await stage.open('channels');
  await stage.page
    .getByText(/close confirmed/)
    .first()
    .waitFor();
}

async function openTransaction(): Promise<void> {
  await stage.open(`transactions/${await stage.payWeather()}`);
  await stage.page.getByText('facilitator pays').waitFor();
}

/** Each view with something in it. */
const VIEWS: Readonly<Record<string, () => Promise<void>>> = {
  payment: openPayment,
  payments: () => stage.open('payments'),
  channels: openChannel,
  transaction: openTransaction,
  chain: () => stage.open('chain'),
  account: () => stage.open(`accounts/${stage.stack.accounts.payer.address}`),
  asset: () => stage.open('assets/10458941'),
  block: () => stage.open('blocks/1'),
  settlements: () => stage.open('settlements'),
  catalogue: () => stage.open('catalogue'),
  controls: () => stage.open('controls'),
  nowhere: () => stage.page.goto(`${stage.url}/#/nowhere`).then(() => undefined),
};

describe.each(Object.keys(VIEWS))('the view %s', (name) => {
  it.each(WIDTHS)('is for everybody at %i pixels, in light and dark', async (width) => {
    const { page, seriousIssues } = stage;
    await page.setViewportSize({ width, height: 800 });
    await VIEWS[name]?.();
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousIssues()).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });
});

/** Pictures of docs/console.md; UPDATE_SCREENSHOTS=true makes them anew. */
describe('docs/console.md', () => {
  it.each([
    ['payment', 1000, 1110, 'light'],
    ['channels', 700, 900, 'dark'],
    ['controls', 360, 900, 'dark'],
  ] as const)('has a picture of the view %s', async (name, width, height, colorScheme) => {
    const path = `${PICTURES}${name}.png`;
    if (process.env['UPDATE_SCREENSHOTS'] === 'true') {
      mkdirSync(PICTURES, { recursive: true });
      await stage.page.setViewportSize({ width, height });
      await stage.page.emulateMedia({ colorScheme });
      await VIEWS[name]?.();
      await stage.page.screenshot({ path });
    }
    expect(existsSync(path)).toBe(true);
  });
});
