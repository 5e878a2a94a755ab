import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier';
import express, { type Express, type RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore, type Redemption, type RedemptionStore } from '../src/index.ts';
import { pay, withPayment } from './support/payments.ts';
import { eventually, offerAt, offerIn, openShop, receiptIn, route } from './support/shop.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;

describe('a payment with a payment id', () => {
  it('gets the same stored response and receipt when the same request comes again', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const first = await fetch(url, { headers });
    const second = await fetch(url, { headers });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toBe(await first.text());
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(receiptIn(second)).toEqual(receiptIn(first));
    expect(second.headers.get('cache-control')).toBe('private');
    expect([shop.runs(), shop.stub.settles().length]).toEqual([1, 1]);
  });

  it('gets a 204 again as it was, without a length', async () => {
    const shop = await openShop({
      routes: { 'POST /report': route },
      handlers: (app) => void app.post('/report', (_request, response) => void response.sendStatus(204)),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url, { method: 'POST' }), { paymentId: newId() }));
    const answers = [await fetch(url, { method: 'POST', headers }), await fetch(url, { method: 'POST', headers })];
    expect(answers.map(({ status, headers: sent }) => [status, sent.get('content-length')])).toEqual([
      [204, null],
      [204, null],
    ]);
    expect(answers.map((answer) => receiptIn(answer)?.success)).toEqual([true, true]);
  });

  it('sent by many requests at once runs once, and all get its response', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url, { headers })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text())))).toEqual(new Set(['{"report":1}']));
    expect([shop.runs(), shop.stub.settles().length]).toEqual([1, 1]);
  });

  it.each([
    ['without the id', undefined],
    ['with another id', newId()],
  ])('gives the proof alone, %s, the receipt and never the body', async (_case, paymentId) => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const offer = await offerAt(url);
    const note = randomBytes(16);
    const first = await fetch(url, { headers: withPayment(pay(offer, { note, paymentId: newId() })) });
    const thief = await fetch(url, { headers: withPayment(pay(offer, { note, ...(paymentId && { paymentId }) })) });
    expect(thief.status).toBe(402);
    expect(offerIn(thief).error).toBe('duplicate_payment');
    expect(receiptIn(thief)).toEqual(receiptIn(first));
    expect(await thief.text()).not.toContain('report');
    expect(shop.runs()).toBe(1);
  });

  it('conflicts when its id comes with another payment, or with another request', async () => {
    const shop = await openShop({ routes: { 'GET /report': route, 'POST /report': route } });
    const url = `${shop.url}/report`;
    const offer = await offerAt(url);
    const paymentId = newId();
    const payment = pay(offer, { paymentId });
    expect((await fetch(url, { headers: withPayment(payment) })).status).toBe(200);
    const otherPayment = await fetch(url, { headers: withPayment(pay(offer, { paymentId })) });
    const otherQuery = await fetch(`${url}?page=2`, { headers: withPayment(payment) });
    const otherMethod = await fetch(url, { method: 'POST', body: 'x', headers: withPayment(payment) });
    for (const answer of [otherPayment, otherQuery, otherMethod]) {
      expect(answer.status).toBe(409);
      expect(await answer.json()).toMatchObject({ error: 'payment_id_conflict' });
    }
    expect([shop.runs(), shop.stub.settles().length]).toEqual([1, 1]);
  });

  it('is told apart by the bytes of its body, which stay readable', async () => {
    const shop = await openShop({
      routes: { 'POST /echo': route },
      handlers: (app, count) =>
        void app.post('/echo', express.text(), (request, response) => {
          count();
          response.send(request.body);
        }),
    });
    const url = `${shop.url}/echo`;
    const post = { method: 'POST', body: 'first' };
    const payment = pay(await offerAt(url, post), { paymentId: newId() });
    const headers = { ...withPayment(payment), 'content-type': 'text/plain' };
    expect(await (await fetch(url, { ...post, headers })).text()).toBe('first');
    expect(await (await fetch(url, { ...post, headers })).text()).toBe('first');
    expect((await fetch(url, { method: 'POST', body: 'other', headers })).status).toBe(409);
    expect(shop.runs()).toBe(1);
  });

  it('behind a body parser that keeps the bytes is told apart by them', async () => {
    const keep = express.json({ verify: (request, _response, rawBody) => void Object.assign(request, { rawBody }) });
    const { send, headers, runs } = await jobs((app) => void app.use(keep));
    expect(await (await send('{"a":1,"b":2}', headers)).json()).toEqual({ a: 1, b: 2 });
    expect((await send('{"a":1,"b":2}', headers)).status).toBe(200);
    expect((await send('{"a":1,"b":3}', headers)).status).toBe(409);
    expect(runs()).toBe(1);
  });

  it.each<[string, RequestHandler]>([
    ['Express', express.json()],
    ['a middleware that keeps it elsewhere', keptElsewhere],
  ])('whose body was read by %s is served, but gets only the receipt afterwards', async (_reader, reader) => {
    const { send, headers, runs } = await jobs((app) => void app.use(reader));
    expect((await send('{"a":1}', headers)).status).toBe(200);
    for (const body of ['{"a":1}', '{"a":2}', '{"a":1e999}']) {
      const again = await send(body, headers);
      expect([again.status, receiptIn(again)?.success]).toEqual([402, true]);
    }
    expect(runs()).toBe(1);
  });

  it('with a body of more than 1 MB whose bytes were kept is told apart by them no more', async () => {
    const keep = express.json({
      limit: '5mb',
      verify: (request, _response, rawBody) => void Object.assign(request, { rawBody }),
    });
    const { send, headers, runs } = await jobs((app) => void app.use(keep));
    const large = `[1${' '.repeat(1_100_000)}]`;
    expect((await send(large, headers)).status).toBe(200);
    const again = await send(large, headers);
    expect([again.status, receiptIn(again)?.success, runs()]).toEqual([402, true, 1]);
  });

  it('with a body of more than 1 MB is served, but gets only the receipt afterwards', async () => {
    const shop = await openShop({
      routes: { 'POST /echo': route },
      handlers: (app) =>
        void app.post('/echo', express.raw({ limit: '5mb', type: '*/*' }), (request, response) => {
          response.send(String(request.body.length));
        }),
    });
    const url = `${shop.url}/echo`;
    const post = { method: 'POST', body: Buffer.alloc(1_500_000) };
    const payment = withPayment(pay(await offerAt(url, post), { paymentId: newId() }));
    const headers = { ...payment, 'content-type': 'application/octet-stream' };
    expect(await (await fetch(url, { ...post, headers })).text()).toBe('1500000');
    const again = await fetch(url, { ...post, headers });
    expect([again.status, receiptIn(again)?.success]).toEqual([402, true]);
  });

  it('whose response is larger than what is kept gets only the receipt once all of it has arrived', async () => {
    const rows: Redemption[] = [];
    const shop = await openShop({ maxStoredBytes: 10, store: spiedOn((row) => rows.push(row)) });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const whole = await fetch(url, { headers: { ...headers, Connection: 'close' } });
    expect(await whole.text()).toBe('{"report":1}');
    await eventually(() => rows.at(-1)?.delivered).toBe(true);
    const again = await fetch(url, { headers });
    expect([again.status, receiptIn(again)?.success, shop.runs()]).toEqual([402, true, 1]);
  });

  it('is required where the seller says so: 400 without it, or with a malformed one', async () => {
    const shop = await openShop({ paymentId: 'required' });
    const url = `${shop.url}/report`;
    const offer = await offerAt(url);
    expect(offer.extensions?.['payment-identifier']).toMatchObject({ info: { required: true } });
    const without = await fetch(url, { headers: withPayment(pay(offer)) });
    expect([without.status, await without.json()]).toMatchObject([400, { error: 'payment_id_required' }]);
    const payment = pay(offer);
    const malformed = { ...payment, extensions: { 'payment-identifier': { info: { required: true, id: 'short' } } } };
    const answer = await fetch(url, { headers: withPayment(malformed) });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_payment_identifier' }]);
    expect((await fetch(url, { headers: withPayment(pay(offer, { paymentId: newId() })) })).status).toBe(200);
  });

  it('is required where the route declares so with the stock extension', async () => {
    const extensions = { 'payment-identifier': declarePaymentIdentifierExtension(true) };
    const shop = await openShop({ routes: { 'GET /report': { ...route, extensions } } });
    const url = `${shop.url}/report`;
    expect((await fetch(url, { headers: withPayment(pay(await offerAt(url))) })).status).toBe(400);
  });

  it('is never sent to the facilitator, nor kept as it is', async () => {
    const rows: Redemption[] = [];
    const shop = await openShop({ store: spiedOn((row) => rows.push(row)) });
    const url = `${shop.url}/report`;
    const paymentId = newId();
    await fetch(url, { headers: withPayment(pay(await offerAt(url), { paymentId })) });
    expect(rows.length).toBeGreaterThan(2);
    expect(JSON.stringify([rows, shop.stub.calls])).not.toContain(paymentId);
  });

  it('keeps no response longer than it should', async () => {
    let now = Date.now();
    const shop = await openShop({ now: () => now, storedForMs: 1000 });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    expect((await fetch(url, { headers })).status).toBe(200);
    now += 1001;
    const late = await fetch(url, { headers });
    expect([late.status, receiptIn(late)?.success, shop.runs()]).toEqual([402, true, 1]);
  });
});

const keptElsewhere: RequestHandler = async (request, _response, next) => {
  Object.assign(request, { job: await text(request) });
  next();
};

/** A shop of jobs: `send` posts one as JSON; `headers` carry a payment for it. */
async function jobs(before: (app: Express) => void) {
  const shop = await openShop({
    routes: { 'POST /jobs': route },
    before,
    handlers: (app, count) =>
      void app.post('/jobs', (request, response) => {
        count();
        response.json(request.body ?? null);
      }),
  });
  const send = async (body: string, headers: Record<string, string>) =>
    fetch(`${shop.url}/jobs`, { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } });
  const headers = withPayment(pay(offerIn(await send('{}', {})), { paymentId: newId() }));
  return { send, headers, runs: shop.runs };
}

/** A store in memory that shows its rows to a test. */
function spiedOn(look: (row: Redemption) => void): RedemptionStore {
  const store = createMemoryRedemptionStore();
  return {
    get: (txId) => store.get(txId),
    getByPaymentId: (id) => store.getByPaymentId(id),
    put: (row, previous) => {
      look(row);
      return store.put(row, previous);
    },
    remove: (row) => store.remove(row),
  };
}
