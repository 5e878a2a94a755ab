import { type IncomingMessage, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RequestHandler } from 'express';
import { expect, it } from 'vitest';
import { pay, withPayment } from './support/payments.ts';
import { offer, offerAt, openShop, route } from './support/shop.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('a route that is paid up front streams 300 MB to a slow reader at flat memory', async () => {
  const chunk = Buffer.alloc(1_000_000, 1);
  const send: RequestHandler = (_q, response) => {
    Readable.from(
      (function* () {
        for (let count = 0; count < 300; count++) yield chunk;
      })(),
    ).pipe(response);
  };
  const routes = { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } };
  const shop = await openShop({ routes, handlers: (app) => void app.get('/report', send) });
  const payment = withPayment(
    pay(await offerAt(`${shop.url}/report`), { paymentId: `pay_${'0123456789abcdef'.repeat(2)}` }),
  );
  const before = process.memoryUsage().rss;
  let [bytes, most] = [0, 0];
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${shop.url}/report`, { headers: payment }, resolve).on('error', reject).end();
  });
  for await (const data of response) {
    bytes += data.length;
    most = Math.max(most, process.memoryUsage().rss - before);
    if (bytes % 10_000_000 >= data.length) continue;
    // What the reader has thrown away does not count.
    collectGarbage();
    await setTimeout(1);
  }
  expect(bytes).toBe(300_000_000);
  expect(most).toBeLessThan(120_000_000);
});
