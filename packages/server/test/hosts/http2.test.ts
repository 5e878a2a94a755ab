import { once } from 'node:events';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { encodePaymentSignatureHeader } from '@avm402/core/headers';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware as fastifyHook } from '../../src/hosts/fastify/fastify.ts';
import { createSeller, type PaymentEvent } from '../../src/index.ts';
import { pay } from '../support/payments.ts';
import { afterwards, facilitator, offer, offerAt, openShop, resources, route } from '../support/shop.ts';

const upfront = { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } };

/** An app of Fastify that sells `/report` over HTTP/2; `ask` posts to it. */
async function openApp() {
  const stub = await facilitator();
  const events: PaymentEvent[] = [];
  const seller = createSeller({ server: resources(stub), onEvent: (event) => void events.push(event) });
  const app = Fastify({ http2: true, http2SessionTimeout: 1_000 });
  app.addHook('onRequest', fastifyHook(seller.pricedRoutes({ '/report': upfront })));
  app.post('/report', ({ body }) => `report ${String(body)}`);
  app.get('/free', () => 'free');
  const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }));
  afterwards(async () => {
    session.destroy();
    await app.close();
  });
  const ask = async (headers: Record<string, string>, body?: string) => {
    const asked = session.request(headers).end(body);
    const [head] = await once(asked, 'response');
    return { status: head[':status'], body: await text(asked) };
  };
  return { stub, events, ask };
}

describe('a request over HTTP/2', () => {
  it('is not sold to, because one payment would have several answers made, and free paths are served', async () => {
    const app = await openApp();
    // The same offer, over HTTP/1.1.
    const shop = await openShop({ routes: { '/report': upfront }, stub: app.stub });
    const payment = pay(await offerAt(`${shop.url}/report`), { paymentId: 'pay_0123456789abcdef0123456789abcdef' });
    const paying = { ':method': 'POST', ':path': '/report', 'content-type': 'text/plain' };
    const header = { 'payment-signature': encodePaymentSignatureHeader(payment) };
    for (const body of ['one', 'two', 'six']) {
      expect([body, (await app.ask({ ...paying, ...header }, body)).status]).toEqual([body, 505]);
    }
    expect(app.stub.settles()).toEqual([]);
    expect(app.events.at(-1)).toMatchObject({ type: 'failed', code: 'http_version_unsupported' });
    expect(await app.ask({ ':path': '/free' })).toEqual({ status: 200, body: 'free' });
  });
});
