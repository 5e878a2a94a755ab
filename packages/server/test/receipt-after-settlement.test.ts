import type { RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { pay, withPayment } from './support/payments.ts';
import { rawRequest } from './support/raw-request.ts';
import { offer, offerAt, openShop, receiptIn, type ShopOptions } from './support/shop.ts';

async function buy(handler: RequestHandler, options: ShopOptions = {}) {
  const shop = await openShop({
    before: (app) => void app.set('env', 'test'),
    handlers: (app) => void app.get('/report', handler),
    ...options,
  });
  const url = `${shop.url}/report`;
  const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
  return { response, settles: shop.stub.settles().length, url, shop };
}

/** What Node refuses to send, only when it writes the head. */
const refused: readonly [string, RequestHandler][] = [
  [
    'a status text that no status line can carry',
    (_request, response) => {
      response.statusMessage = 'Fine\r\nX-Injected: 1';
      response.send('data');
    },
  ],
  ['such a status text by writeHead', (_request, response) => void response.writeHead(200, 'Fi\u2603ne').end('data')],
  [
    'a body on a 204',
    (_request, response) => {
      response.statusCode = 204;
      response.end('data');
    },
  ],
  [
    'trailers that it declares',
    (_request, response) => {
      response.setHeader('Trailer', 'X-Checksum');
      response.write('da');
      response.addTrailers({ 'X-Checksum': '1' });
      response.end('ta');
    },
  ],
  [
    'a header that it changes after its end',
    (_request, response) => {
      response.end('data');
      response.setHeader('Trailer', 'X-Checksum');
    },
  ],
  [
    'a status text that it changes after its end',
    (_request, response) => {
      response.end('data');
      response.statusMessage = 'Fi\nne';
    },
  ],
  [
    'a length that is not that of its body',
    (_request, response) => {
      response.strictContentLength = true;
      response.setHeader('Content-Length', 10);
      response.end('data');
    },
  ],
];

describe('a handler that answers', () => {
  it.each(refused)(
    '%s: what is charged is answered with its receipt, and what is not is not charged',
    async (_name, handler) => {
      const { response, settles } = await buy(handler);
      expect({ isCharged: settles > 0 }).toEqual({ isCharged: receiptIn(response)?.success ?? false });
      expect(response.ok ? settles : 1).toBe(1);
      expect([200, 204, 500]).toContain(response.status);
    },
  );

  // The last one breaks its own connection, as it would without payment.
  it.each(refused.slice(0, -1))(
    '%s, on a route that is paid up front: has its receipt in any case',
    async (_name, handler) => {
      const routes = { 'GET /report': { accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } };
      const { response, settles } = await buy(handler, { routes });
      expect([settles, receiptIn(response)?.success]).toEqual([1, true]);
    },
  );

  it('declared trailers are dropped: the answer has a length, for HTTP/1.0, too', async () => {
    const [, handler] = refused[3] ?? [];
    const { response, url } = await buy(handler ?? (() => undefined));
    expect([await response.text(), response.headers.get('content-length')]).toEqual(['data', '4']);
    const header = withPayment(pay(await offerAt(url)))['PAYMENT-SIGNATURE'] ?? '';
    const answer = await rawRequest(url, '/report', 'GET', [`PAYMENT-SIGNATURE: ${header}`]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/payment-response: /i);
  });

  it('what stands around it may throw as the head is written, after settlement: the receipt is answered', async () => {
    const { response, settles } = await buy((_request, reply) => void reply.send('data'), {
      before: (app) =>
        void app.use((request, reply, next) => {
          if (request.get('PAYMENT-SIGNATURE') === undefined) return next();
          Object.assign(reply, {
            writeHead: () => {
              throw new Error('broken');
            },
          });
          next();
        }),
    });
    expect([response.status, settles, receiptIn(response)?.success]).toEqual([500, 1, true]);
    expect(await response.json()).toMatchObject({ error: 'response_failed' });
  });

  it('has the words that its handler gave its status', async () => {
    const { response } = await buy((_request, reply) => void reply.writeHead(201, 'Sold', { 'x-a': '1' }).end('data'));
    expect([response.status, response.statusText, response.headers.get('x-a')]).toEqual([201, 'Sold', '1']);
  });

  it('by writeHeader, the older name of writeHead, is held and has its receipt', async () => {
    const byOldName: RequestHandler = (_request, response) => {
      Reflect.apply(Reflect.get(response, 'writeHeader'), response, [201, { 'x-a': '1' }]);
      response.end('data');
    };
    for (const paymentFlow of ['authorization', 'upfront']) {
      const routes = { 'GET /report': { accepts: { ...offer, extra: { paymentFlow } } } };
      const { response } = await buy(byOldName, { routes });
      expect([response.status, receiptIn(response)?.success, await response.text()]).toEqual([201, true, 'data']);
    }
  });

  it('what it writes after its end is no part of the answer', async () => {
    const errors: unknown[] = [];
    const { response } = await buy((_request, reply) => {
      reply.end('data');
      reply.write(' and more', (error) => errors.push(error));
    });
    expect(await response.text()).toBe('data');
    expect(errors).toEqual([expect.any(Error)]);
  });
});
