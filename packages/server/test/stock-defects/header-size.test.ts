import { createServer } from 'node:http';
import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware } from '../../src/index.ts';
import { openBoth, openStockShop } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { rawRequest, statusIn } from '../support/raw-request.ts';
import { afterwards, facilitator, offerAt, openShop, resources, route } from '../support/shop.ts';

/** Serves an app with more room for headers than Node gives. */
async function listenWide(app: Express): Promise<string> {
  const server = createServer({ maxHeaderSize: 200_000 }, app).listen(0, '127.0.0.1');
  afterwards(async () => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

describe('the size of headers', () => {
  it('a payment header of 80 KB is decoded and sent on by stock; ours answers 431 without looking into it', async () => {
    const { ours, stock } = await openBoth();
    const statusAt = async ({ app, url }: typeof ours): Promise<number> => {
      const payment = { ...pay(await offerAt(`${url}/report`)), extensions: { padding: 'x'.repeat(60_000) } };
      const lines = Object.entries(withPayment(payment)).map(([name, value]) => `${name}: ${value}`);
      return statusIn(await rawRequest(await listenWide(app), '/report', 'GET', lines));
    };
    expect(await statusAt(stock)).toBe(200);
    expect(await statusAt(ours)).toBe(431);
    expect([stock.stub.verifies().length, ours.stub.calls.length]).toEqual([1, 0]);
  });

  it('ours reads 16,384 characters and no more', async () => {
    const { ours } = await openBoth();
    const url = await listenWide(ours.app);
    const statusWith = async (length: number): Promise<number> =>
      statusIn(await rawRequest(url, '/report', 'GET', [`PAYMENT-SIGNATURE: ${'A'.repeat(length)}`]));
    expect([await statusWith(16_384), await statusWith(16_385)]).toEqual([400, 431]);
  });

  it('ours reads more where a seller asks for it', async () => {
    const shop = await openShop({ maxHeaderBytes: 100_000 });
    const payment = pay(await offerAt(`${shop.url}/report`));
    const [value = ''] = Object.values(withPayment({ ...payment, extensions: { padding: 'x'.repeat(20_000) } }));
    const statusWith = async (header: string): Promise<number> =>
      statusIn(await rawRequest(await listenWide(shop.app), '/report', 'GET', [`PAYMENT-SIGNATURE: ${header}`]));
    expect(value.length).toBeGreaterThan(16_384);
    expect([await statusWith(value), await statusWith('A'.repeat(100_001))]).toEqual([200, 431]);
  });

  it('an offer above 8 KB is answered by stock, for proxies to cut off; ours fails at start and names the culprit', async () => {
    const routes = { 'GET /report': { ...route, description: 'long '.repeat(2000) } };
    const stock = await openStockShop({ routes });
    const answer = await fetch(`${stock.url}/report`);
    expect(answer.headers.get('payment-required')?.length).toBeGreaterThan(8192);
    const server = resources(await facilitator());
    expect(() => paymentMiddleware(routes, server)).toThrow(
      expect.objectContaining({
        code: 'header_budget_exceeded',
        message: expect.stringMatching(/"GET \/report".*description/),
      }),
    );
  });
});
