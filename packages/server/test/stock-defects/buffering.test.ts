import { Readable } from 'node:stream';
import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { openBoth, openStockShop } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { eventually, offer, offerAt, openShop, receiptIn, route, type Shop } from '../support/shop.ts';

const report = (url: string): string => `${url}/report`;

/** Buys; `nothing` if no answer has begun a moment after the handler has run. */
async function answerOf({ url, runs }: Pick<Shop, 'url' | 'runs'>): Promise<Response | 'nothing'> {
  const left = new AbortController();
  const headers = withPayment(pay(await offerAt(report(url))));
  const answer = fetch(report(url), { headers, signal: left.signal });
  answer.catch(() => undefined);
  await eventually(() => runs()).toBe(1);
  const nothing = new Promise<'nothing'>((resolve) => setTimeout(() => resolve('nothing'), 500));
  const first = await Promise.race([answer, nothing]);
  if (first === 'nothing') left.abort();
  return first;
}

describe('what a handler streams', () => {
  it('write(chunk, callback) never calls back in stock, a deadlock; ours calls back', async () => {
    const { ours, stock } = await openBoth({
      handlers: (app, count) =>
        void app.get('/report', (_request, response) => {
          count();
          response.write('first ', () => response.end('second'));
        }),
    });
    expect(await answerOf(stock)).toBe('nothing');
    const answer = await answerOf(ours);
    expect(answer === 'nothing' ? answer : await answer.text()).toBe('first second');
  });

  const events = (app: Express, count: () => void): void => {
    app.get('/report', (_request, response) => {
      count();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: now\n\n');
    });
  };

  it('server-sent events hang in stock; ours refuses at once and says how to sell them', async () => {
    const { ours, stock } = await openBoth({ handlers: events });
    expect(await answerOf(stock)).toBe('nothing');
    const answer = await answerOf(ours);
    expect(answer === 'nothing' ? answer : [answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining('upfront'),
    ]);
    expect(ours.stub.settles()).toHaveLength(0);
  });

  it('sold up front they hang in stock all the same; ours streams them', async () => {
    const routes = { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } };
    const { ours, stock } = await openBoth({ routes, handlers: events });
    expect(await answerOf(stock)).toBe('nothing');
    expect(stock.stub.settles()).toHaveLength(1);
    const answer = await answerOf(ours);
    if (answer === 'nothing') throw new Error('no answer');
    expect(receiptIn(answer)?.success).toBe(true);
    const { value } = (await answer.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe('data: now\n\n');
  });

  it('100 MB are taken without end by stock, whose write always says "more"; ours stops at its limit', async () => {
    const taken = { stock: 0, ours: 0 };
    const flood = (which: keyof typeof taken) => (app: Express, count: () => void) =>
      void app.get('/report', (_request, response) => {
        count();
        const source = Readable.from(
          (function* () {
            while (taken[which] < 100_000_000) {
              taken[which] += 1_000_000;
              yield Buffer.alloc(1_000_000);
            }
          })(),
        );
        source.pipe(response);
      });
    const stock = await openStockShop({ handlers: flood('stock') });
    const ours = await openShop({ handlers: flood('ours'), maxHeldBytes: 5_000_000 });
    await answerOf(stock);
    await eventually(() => taken.stock).toBe(100_000_000);
    const answer = await answerOf(ours);
    expect(answer === 'nothing' ? answer : answer.status).toBe(500);
    expect(taken.ours).toBeLessThan(40_000_000);
  });
});
