import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryRedemptionStore, paymentMiddleware, type PaymentOptions } from '@avm402/server';
import { createSqliteRedemptionStore } from '@avm402/server/sqlite';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Headers, paymentFor, reasonOf } from './buyer.ts';
import { type Market, openMarket } from '../market.ts';

let market: Market;
beforeAll(async () => {
  market = await openMarket();
});
afterAll(() => market[Symbol.asyncDispose]());

async function open(handler: RequestHandler, options: PaymentOptions) {
  const app = express();
  const routes = { 'GET /goods': { accepts: market.accepts } };
  app.use(paymentMiddleware(routes, market.resourceServer(), { onEvent: () => undefined, ...options }));
  app.get('/goods', handler);
  return `${await market.open(app)}/goods`;
}

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

describe('payments that cost their maker nothing', () => {
  it('leave no row behind: 60 that were given back', async ({ onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'growth-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'store.sqlite');
    const store = createSqliteRedemptionStore({ path });
    const url = await open((_request, response) => void response.sendStatus(404), { store });
    for (let round = 0; round < 2; round++) {
      const statuses = await times(30, async () => (await ask(url, await paymentFor(market, url))).status);
      expect(new Set(statuses)).toEqual(new Set([404]));
    }
    using database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare('SELECT count(*) AS rows FROM redemptions').get()).toEqual({ rows: 0 });
    store.close();
  });
});

describe('a kept response', () => {
  it('is not displaced by the purchases of one other payer', async () => {
    const store = createMemoryRedemptionStore({ maxResponseBytes: 1_000_000, maxResponseBytesPerPayer: 100_000 });
    const url = await open((_request, response) => void response.send('x'.repeat(50_000)), { store });
    const honest = await paymentFor(market, url);
    const bought = await ask(url, honest);
    const { payer2: attacker } = market.node.accounts;
    const bytes = await times(40, async () => {
      const { status, text } = await ask(url, await paymentFor(market, url, { payer: attacker }));
      return status === 200 ? text.length : 0;
    });
    const total = bytes.reduce((sum, length) => sum + length, 0);
    const again = await ask(url, honest);
    console.log(`${total} bytes bought by another payer, room for 1000000: status ${again.status} for the first buyer`);
    expect(total).toBe(2_000_000);
    expect([bought.status, again.status, again.text]).toEqual([200, 200, bought.text]);
  });
});

describe('held responses', () => {
  it('are bounded for one payer and in total; what does not fit costs nothing and can be had later', async () => {
    const bytes = 100_000;
    let isOpen = false;
    const waiting: (() => void)[] = [];
    const handler: RequestHandler = (_request, response) => {
      if (isOpen) response.send('goods');
      else if (response.write('x'.repeat(bytes))) waiting.push(() => void response.end());
    };
    const url = await open(handler, { maxHeldBytesPerPayer: 3 * bytes, maxHeldBytesInTotal: 5 * bytes });
    const { payer2, payer3, payer4 } = market.node.accounts;
    const refused: Headers[] = [];
    const answers: Promise<readonly [number, string]>[] = [];
    // Of each payer five, and how many of all were refused by then.
    for (const [payer, count] of [
      [payer2, 2],
      [payer3, 5],
      [payer4, 10],
    ] as const) {
      answers.push(
        ...Array.from({ length: 5 }, async () => {
          const payment = await paymentFor(market, url, { payer });
          const answer = await ask(url, payment);
          if (answer.status === 503) refused.push(payment);
          return [answer.status, answer.status === 503 ? reasonOf(answer) : ''] as const;
        }),
      );
      await expect.poll(() => refused.length, { timeout: 20_000 }).toBe(count);
    }
    console.log(`15 responses of ${bytes} bytes from three payers: ${waiting.length} held at most`);
    expect(waiting).toHaveLength(5);
    isOpen = true;
    for (const end of waiting) end();
    const all = await Promise.all(answers);
    expect(all.filter(([status]) => status === 200)).toHaveLength(5);
    expect(all.filter(([, reason]) => reason === 'too_many_responses_held')).toHaveLength(10);
    const later = await Promise.all(refused.map((payment) => ask(url, payment)));
    expect(later.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  });
});
