import { Readable } from 'node:stream';
import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { openBoth, openStockShop } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offer, offerAt, openShop, receiptIn, route } from '../support/shop.ts';

const report = (url: string): string => `${url}/report`;

async function answerWithin(ms: number, url: string): Promise<Response | 'nothing'> {
  const signal = AbortSignal.timeout(ms);
  const headers = withPayment(pay(await offerAt(url)));
  return fetch(url, { headers, signal }).catch(() => 'nothing' as const);
}

describe('E3: what a handler streams', () => {
  it('write(chunk, callback) never calls back in stock, a deadlock; ours calls back', async () => {
    const { ours, stock } = await openBoth({
      handlers: (app) =>
        void app.get('/report', (_request, response) => {
          response.write('first ', () => response.end('second'));
        }),
    });
    expect(await answerWithin(300, report(stock.url))).toBe('nothing');
    const answer = await answerWithin(2000, report(ours.url));
    expect(answer === 'nothing' ? answer : await answer.text()).toBe('first second');
  });

  const events = (app: Express): void => {
    app.get('/report', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: now\n\n');
    });
  };

  it('server-sent events hang in stock; ours refuses at once and says how to sell them', async () => {
    const { ours, stock } = await openBoth({ handlers: events });
    expect(await answerWithin(300, report(stock.url))).toBe('nothing');
    const answer = await answerWithin(2000, report(ours.url));
    expect(answer === 'nothing' ? answer : [answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining('upfront'),
    ]);
    expect(ours.stub.settles()).toHaveLength(0);
  });

  it('sold up front they hang in stock all the same; ours streams them', async () => {
    const routes = { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } };
    const { ours, stock } = await openBoth({ routes, handlers: events });
    expect(await answerWithin(300, report(stock.url))).toBe('nothing');
    expect(stock.stub.settles()).toHaveLength(1);
    const answer = await answerWithin(2000, report(ours.url));
    if (answer === 'nothing') throw new Error('no answer');
    expect(receiptIn(answer)?.success).toBe(true);
    const { value } = (await answer.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe('data: now\n\n');
  });

  it('100 MB are taken without end by stock, whose write always says "more"; ours stops at its limit', async () => {
    const taken = { stock: 0, ours: 0 };
    const flood = (which: keyof typeof taken) => (app: Express) =>
      void app.get('/report', (_request, response) => {
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
    await answerWithin(5000, report(stock.url));
    expect(taken.stock).toBe(100_000_000);
    const answer = await answerWithin(5000, report(ours.url));
    expect(answer === 'nothing' ? answer : answer.status).toBe(500);
    expect(taken.ours).toBeLessThan(40_000_000);
  });
});
