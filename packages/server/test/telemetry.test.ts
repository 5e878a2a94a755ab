import { recordSpans } from '@avm402/testkit/spans';
import { describe, expect, it } from 'vitest';
import type { PaymentEvent } from '../src/index.ts';
import { ask, ChannelBuyer, openChannelShop, payer } from './support/channel-shop.ts';
import { pay, withPayment } from './support/payments.ts';
import { offer, offerAt, openShop, receiptIn } from './support/shop.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`;

describe('a seller with a tracer', () => {
  it('records the life of a paid request below the span of its buyer, and hands the trace to the facilitator', async () => {
    const spans = recordSpans();
    const { url, stub } = await openShop({ tracer: spans.tracer });
    const payment = pay(await offerAt(`${url}/report`));
    spans.forget();
    await fetch(`${url}/report`, { headers: { ...withPayment(payment), traceparent } });
    await expect.poll(() => spans.ended.map(({ name }) => name)).toContain('x402.serve');
    const serve = spans.named('x402.serve');
    expect(serve.spanContext().traceId).toBe(TRACE_ID);
    expect(serve.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(spans.ended.map(({ name }) => name)).toEqual(['x402.verify', 'x402.handler', 'x402.settle', 'x402.serve']);
    for (const child of spans.ended.slice(0, 3)) {
      expect(child.parentSpanContext?.spanId).toBe(serve.spanContext().spanId);
    }
    const sentWith = (name: string) => `00-${TRACE_ID}-${spans.named(name).spanContext().spanId}-01`;
    expect(stub.verifies()[0]?.headers['traceparent']).toBe(sentWith('x402.verify'));
    expect(stub.settles()[0]?.headers['traceparent']).toBe(sentWith('x402.settle'));
    const leg = { 'server.address': new URL(stub.url).host, 'http.response.status_code': 200 };
    expect(spans.named('x402.verify').attributes).toMatchObject({ ...leg, 'url.path': '/verify' });
    expect(spans.named('x402.settle').attributes).toMatchObject({ ...leg, 'url.path': '/settle' });
  });

  it('says what was asked, what was paid and how it ended', async () => {
    const spans = recordSpans();
    const { url } = await openShop({ tracer: spans.tracer });
    const payment = pay(await offerAt(`${url}/report`));
    const { attributes: unpaid } = spans.named('x402.serve');
    expect(unpaid).toMatchObject({ 'x402.outcome': 'payment_required', 'http.response.status_code': 402 });
    spans.forget();
    await fetch(`${url}/report`, { headers: withPayment(payment) });
    await expect.poll(() => spans.ended.map(({ name }) => name)).toContain('x402.serve');
    const { attributes, events } = spans.named('x402.serve');
    expect(attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': 'GET /report',
      'http.response.status_code': 200,
      'x402.outcome': 'settled',
      'x402.transaction': expect.stringMatching(/^[A-Z2-7]{52}$/),
    });
    expect(events.map(({ name }) => name)).toEqual(['x402.claimed', 'x402.settled']);
    expect(spans.named('x402.settle').attributes).toMatchObject({
      'x402.scheme': 'exact',
      'x402.network': offer.network,
      'x402.amount': '10000',
      'x402.asset': '10458941',
      'x402.outcome': 'settled',
    });
  });

  it('whose tracer throws answers by the app’s error handler, serves nothing unpaid, and goes on', async () => {
    const events: PaymentEvent[] = [];
    const fail = (): never => {
      throw new Error('no spans');
    };
    const tracer = { startSpan: fail, startActiveSpan: fail };
    const shop = await openShop({ tracer, onEvent: (event) => void events.push(event) });
    expect((await fetch(`${shop.url}/report`)).status).toBe(500);
    expect(events).toMatchObject([{ type: 'failed', route: 'GET /report', error: { message: 'no spans' } }]);
    expect(shop.runs()).toBe(0);
  });

  it('whose spans nobody can take serves what was paid for', async () => {
    const { tracer } = recordSpans(() => {
      throw new Error('no room for spans');
    });
    const { url, runs } = await openShop({ tracer });
    const payment = pay(await offerAt(`${url}/report`));
    const answer = await fetch(`${url}/report`, { headers: withPayment(payment) });
    expect([answer.status, receiptIn(answer)?.success, runs()]).toEqual([200, true, 1]);
  });

  it('says which check a request did not pass', async () => {
    const spans = recordSpans();
    const shop = await openShop({ tracer: spans.tracer, traceDetails: true });
    const asked = await offerAt(`${shop.url}/report`);
    const accepts = asked.accepts.map((one) => ({ ...one, amount: '1' }));
    const payment = pay({ ...asked, accepts });
    spans.forget();
    await fetch(`${shop.url}/report`, { headers: withPayment(payment) });
    await expect.poll(() => spans.ended.map(({ name }) => name)).toContain('x402.serve');
    const checks = spans.named('x402.serve').events.filter(({ name }) => name === 'x402.check');
    expect(checks.map(({ attributes = {} }) => [attributes['x402.check'], attributes['x402.outcome']])).toEqual([
      ['message', 'passed'],
      ['terms', 'passed'],
      ['offer', 'no_matching_offer'],
    ]);
  });
});

describe('a seller with a tracer, paid by a channel', () => {
  it('records the settlement of the deposit and then handlers alone, with what each voucher is known by', async () => {
    const spans = recordSpans();
    const shop = await openChannelShop({ tracer: spans.tracer, traceDetails: true });
    const buyer = await ChannelBuyer.of(shop);
    spans.forget();
    await ask(shop, await buyer.deposit(1000n, 100n));
    await expect.poll(() => spans.ended.map(({ name }) => name)).toEqual(['x402.settle', 'x402.handler', 'x402.serve']);
    spans.forget();
    const voucher = buyer.pay(200n);
    await ask(shop, voucher);
    await expect.poll(() => spans.ended.map(({ name }) => name)).toEqual(['x402.handler', 'x402.serve']);
    const { attributes, events } = spans.named('x402.serve');
    expect(attributes).toMatchObject({
      'x402.scheme': 'batch-settlement',
      'x402.payer': payer.address,
      'x402.transaction': `${buyer.channelId}/200`,
      'x402.outcome': 'settled',
    });
    const message = events.find(({ name }) => name === 'x402.message')?.attributes?.['x402.payment_signature'];
    expect(JSON.parse(String(message))).toMatchObject({ payload: { voucher: { maxClaimableAmount: '200' } } });
    const [header = ''] = Object.values(voucher);
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString());
    expect(JSON.stringify([attributes, events])).not.toContain(payload.voucher.signature);
  });
});

describe('the id of a request', () => {
  it.each([
    ['is the buyer’s', 'order-17', 'order-17'],
    ['is made where the buyer’s is more than an id', 'order 17', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ['is made where there is none', undefined, expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])('%s; answer, facilitator and events have the same one', async (_, sent, expected: unknown) => {
    const events: PaymentEvent[] = [];
    const { url, stub } = await openShop({ onEvent: (event) => void events.push(event) });
    const payment = pay(await offerAt(`${url}/report`));
    events.splice(0);
    const asked = { ...withPayment(payment), ...(sent !== undefined && { 'X-Request-Id': sent }) };
    const id = (await fetch(`${url}/report`, { headers: asked })).headers.get('X-Request-Id');
    expect(id).toEqual(expected);
    const [verify] = stub.verifies();
    const [settle] = stub.settles();
    expect([verify, settle].map((call) => call?.headers['x-request-id'])).toEqual([id, id]);
    expect(verify?.headers).not.toHaveProperty('traceparent');
    expect(events.map(({ requestId }) => requestId)).toEqual([id, id]);
  });

  it('is the app’s where it has one', async () => {
    const { url } = await openShop({
      before: (app) =>
        void app.use((_request, response, next) => {
          response.setHeader('X-Request-Id', 'app-1');
          next();
        }),
    });
    const { headers } = await fetch(`${url}/report`, { headers: { 'X-Request-Id': 'buyer-1' } });
    expect(headers.get('X-Request-Id')).toBe('app-1');
  });
});
