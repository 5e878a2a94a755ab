import { randomBytes } from 'node:crypto';
import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore } from '../src/index.ts';
import { later, settleOnce } from './support/facilitator-stub.ts';
import { pay, withPayment } from './support/payments.ts';
import { eventually, facilitator, offer, offerAt, offerIn, openShop, receiptIn, route } from './support/shop.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;

describe('a settlement whose outcome is unknown', () => {
  it('is answered 503 with the TxID, never 402, and the buyer collects the response with its id', async () => {
    const shop = await openShop({ settleTimeoutMs: 150 });
    const url = `${shop.url}/report`;
    const payment = pay(await offerAt(url), { paymentId: newId() });
    shop.stub.onSettle = () => 'cut';
    const first = await fetch(url, { headers: withPayment(payment) });
    expect(first.status).toBe(503);
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(first.headers.get('payment-required')).toBeNull();
    const pending = receiptIn(first);
    expect(pending).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    shop.stub.onSettle = () => undefined;
    await eventually(async () => (await fetch(url, { headers: withPayment(payment) })).status).toBe(200);
    const second = await fetch(url, { headers: withPayment(payment) });
    expect([second.status, await second.text()]).toEqual([200, '{"report":1}']);
    expect(receiptIn(second)?.transaction).toBe(pending?.transaction);
    expect(shop.runs()).toBe(1);
    expect(new Set(shop.stub.settles().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('stays unknown while nobody can even be asked again, and is collected once somebody can', async () => {
    const shop = await openShop({ settleTimeoutMs: 100 });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    shop.stub.onSettle = (call) => {
      settleOnce(shop.stub, call);
      return 'cut';
    };
    expect((await fetch(url, { headers })).status).toBe(503);
    shop.stub.onSettle = () => ({ status: 401, body: { error: 'unauthorized' } });
    const second = await fetch(url, { headers });
    expect([second.status, receiptIn(second)?.errorReason]).toEqual([503, 'settlement_pending']);
    shop.stub.onSettle = () => undefined;
    await eventually(async () => (await fetch(url, { headers })).text()).toBe('{"report":1}');
    expect(shop.runs()).toBe(1);
  });

  it('is what a facilitator leaves that dies while it is asked over a connection that was used before', async () => {
    const store = createMemoryRedemptionStore();
    const shop = await openShop({ store, settleTimeoutMs: 150 });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    shop.stub.onSettle = (call) => {
      settleOnce(shop.stub, call);
      shop.stub.stopListening();
      return 'cut';
    };
    const response = await fetch(url, { headers });
    expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
    const [{ txId } = { txId: '' }] = shop.stub.settles();
    expect(await store.get(txId)).toMatchObject({ state: 'sending', sent: true });
  });

  it('is asked about by a server that was started while no facilitator was there', async () => {
    const store = createMemoryRedemptionStore();
    const before = (app: Express): void => void app.set('trust proxy', 'loopback');
    const dying = await openShop({ store, before, settleTimeoutMs: 100 });
    const paid = withPayment(pay(await offerAt(`${dying.url}/report`), { paymentId: newId() }));
    const headers = { ...paid, 'X-Forwarded-Host': 'shop.example' };
    dying.stub.onSettle = (call) => {
      settleOnce(dying.stub, call);
      return 'cut';
    };
    expect((await fetch(`${dying.url}/report`, { headers })).status).toBe(503);
    let [now, failed] = [Date.now(), 0];
    dying.stub.onSupported = () => {
      failed++;
      return { status: 500, body: {} };
    };
    dying.stub.onSettle = () => undefined;
    const next = await openShop({ store, before, stub: dying.stub, now: () => now });
    expect((await fetch(`${next.url}/report`)).status).toBe(503);
    expect(failed).toBeGreaterThan(0);
    dying.stub.onSupported = () => undefined;
    now += 60_000;
    const collected = await fetch(`${next.url}/report`, { headers });
    expect([collected.status, await collected.text()]).toEqual([200, '{"report":1}']);
  });

  it('is recorded once it is known, where no buyer can be told from others', async () => {
    const shop = await openShop({
      settleTimeoutMs: 100,
      routes: { 'POST /report': route },
      handlers: (app) => void app.post('/report', (_request, response) => void response.end('report')),
    });
    const url = `${shop.url}/report`;
    // Too long for a fingerprint.
    const init = { method: 'POST', body: 'x'.repeat(1_100_000) };
    const required = await offerAt(url, init);
    const headers = withPayment(pay(required, { paymentId: newId() }));
    shop.stub.onSettle = (call) => {
      settleOnce(shop.stub, call);
      return 'cut';
    };
    expect((await fetch(url, { ...init, headers })).status).toBe(503);
    expect((await fetch(url, { ...init, headers })).status).toBe(402);
    shop.stub.settled.clear();
    const again = await fetch(url, { ...init, headers });
    expect([again.status, receiptIn(again)?.success]).toEqual([402, true]);
  });

  it('is asked for again with the same key while the buyer waits', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    let attempts = 0;
    shop.stub.onSettle = (call) => {
      attempts++;
      if (attempts === 1) {
        settleOnce(shop.stub, call);
        return 'cut';
      }
      if (attempts === 2)
        return {
          body: {
            success: false,
            errorReason: 'settlement_pending',
            transaction: call.txId,
            network: call.body.paymentRequirements['network'],
          },
        };
      return undefined;
    };
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, attempts, shop.runs()]).toEqual([200, 3, 1]);
    expect(new Set(shop.stub.settles().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('is not handed to somebody who has only the proof; they are told when it is known', async () => {
    const shop = await openShop({ settleTimeoutMs: 100 });
    const url = `${shop.url}/report`;
    const required = await offerAt(url);
    const note = randomBytes(16);
    shop.stub.onSettle = () => 'cut';
    const buyer = withPayment(pay(required, { note, paymentId: newId() }));
    await fetch(url, { headers: buyer });
    const thief = withPayment(pay(required, { note }));
    const early = await fetch(url, { headers: thief });
    expect([early.status, receiptIn(early)?.errorReason]).toEqual([503, 'settlement_pending']);
    const [{ txId } = { txId: '' }] = shop.stub.settles();
    shop.stub.settled.set(txId, 'a key');
    const informed = await fetch(url, { headers: thief });
    expect([informed.status, offerIn(informed).error]).toEqual([402, 'duplicate_payment']);
    expect(receiptIn(informed)).toMatchObject({ success: true, transaction: txId });
    // It was settled with the key of another seller of the same receiver, who has served it.
    shop.stub.onSettle = () => undefined;
    const answer = await fetch(url, { headers: buyer });
    expect([answer.status, offerIn(answer).error, shop.runs()]).toEqual([402, 'duplicate_payment', 1]);
  });

  it.each([
    ['its buyer, who asks again, is not told that it is used up', undefined, newId()],
    ['a stranger who shows it does not take it out of the hands of the server that works on it', 'upfront', undefined],
  ])('is open while that is asked for: %s', async (_what, paymentFlow, paymentId) => {
    const shop = await openShop({
      maxWaitMs: 50,
      routes: { 'GET /report': { ...route, accepts: { ...offer, extra: { ...(paymentFlow && { paymentFlow }) } } } },
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), paymentId === undefined ? {} : { paymentId }));
    const told = later<void>();
    shop.stub.onSettle = async (call) => {
      const answer = settleOnce(shop.stub, call);
      await told.promise;
      return answer;
    };
    const first = fetch(url, { headers });
    await eventually(() => shop.stub.settled.size).toBe(1);
    const second = await fetch(url, { headers });
    expect([second.status, receiptIn(second)?.errorReason]).toEqual([503, 'settlement_pending']);
    told.resolve();
    expect([(await first).status, await (await first).text(), shop.runs()]).toEqual([200, '{"report":1}', 1]);
  });

  it('is not forgotten when the price has moved: still 503, with or without a payment id', async () => {
    let [cents, now] = [1, Date.now()];
    const shop = await openShop({
      routes: { 'GET /report': { accepts: { ...offer, price: () => `$0.0${cents}` } } },
      settleTimeoutMs: 100,
      now: () => now,
    });
    const url = `${shop.url}/report`;
    const payments = [pay(await offerAt(url)), pay(await offerAt(url), { paymentId: newId() })];
    shop.stub.onSettle = () => 'cut';
    // The shop's clock runs ten times as fast, so that nobody has to wait for its deadlines.
    const answers = async () => Promise.all(payments.map((payment) => fetch(url, { headers: withPayment(payment) })));
    const ticking = setInterval(() => (now += 50), 5);
    expect((await answers()).map(({ status }) => status)).toEqual([503, 503]);
    [cents, now] = [2, now + 400_000];
    const nextAnswers = await answers();
    clearInterval(ticking);
    expect(nextAnswers.map((answer) => [answer.status, receiptIn(answer)?.errorReason])).toEqual([
      [503, 'settlement_pending'],
      [503, 'settlement_pending'],
    ]);
    expect(shop.runs()).toBe(2);
  });

  it('that was certainly never asked for gives the payment back', async () => {
    const stub = await facilitator();
    const shop = await openShop({ stub });
    const url = `${shop.url}/report`;
    const payment = pay(await offerAt(url));
    stub.onSettle = () => ({ status: 401, body: { error: 'unauthorized' } });
    const first = await fetch(url, { headers: withPayment(payment) });
    expect([first.status, receiptIn(first)]).toEqual([503, undefined]);
    stub.onSettle = () => undefined;
    expect((await fetch(url, { headers: withPayment(payment) })).status).toBe(200);
  });
});

describe('a refused settlement', () => {
  const refused = (txId: string) => ({
    body: {
      success: false,
      errorReason: 'settlement_rejected',
      transaction: txId,
      network: '',
      extra: { lastValid: 9 },
    },
  });

  it('is answered 402 with the receipt; if it gets in after all, the buyer collects with the same key', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const payment = pay(await offerAt(url), { paymentId: newId() });
    shop.stub.onSettle = ({ txId }) => refused(txId);
    const first = await fetch(url, { headers: withPayment(payment) });
    expect([first.status, receiptIn(first)?.extra]).toEqual([402, { lastValid: 9 }]);
    shop.stub.onSettle = () => undefined;
    expect((await fetch(url, { headers: withPayment(payment) })).status).toBe(200);
    expect(new Set(shop.stub.settles().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it.each([
    ['', {}],
    [', also if its receipt is longer than a header', { words: 'x'.repeat(5_000) }],
  ])('of a payment that was submitted is asked about again, not run again: it is collected%s', async (_what, more) => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const extra = { state: 'rejected', lastValid: 9, ...more };
    shop.stub.onSettle = ({ txId }) => ({ body: { ...refused(txId).body, extra } });
    for (const _time of [1, 2]) expect((await fetch(url, { headers })).status).toBe(402);
    expect(shop.runs()).toBe(1);
    // It got into a block after all, so that nothing finds it valid any more.
    shop.stub.onVerify = () => ({ body: { isValid: false, invalidReason: 'payment_already_on_chain' } });
    shop.stub.onSettle = () => undefined;
    const collected = await fetch(url, { headers });
    expect([collected.status, await collected.text(), receiptIn(collected)?.success]).toEqual([
      200,
      '{"report":2}',
      true,
    ]);
    expect(new Set(shop.stub.settles().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('of a payment whose handler had failed before it was submitted is collected all the same', async () => {
    let isFailing = true;
    const shop = await openShop({
      handlers: (app, count) =>
        void app.get('/report', (_request, response) => {
          count();
          response.status(isFailing ? 503 : 200).end('report');
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    for (const _time of [1, 2, 3]) expect((await fetch(url, { headers })).status).toBe(503);
    isFailing = false;
    shop.stub.onSettle = ({ txId }) => ({ body: { ...refused(txId).body, extra: { state: 'rejected' } } });
    expect((await fetch(url, { headers })).status).toBe(402);
    shop.stub.onSettle = () => undefined;
    const collected = await fetch(url, { headers });
    expect([collected.status, await collected.text(), shop.runs()]).toEqual([200, 'report', 5]);
  });

  it('of a payment that was submitted stays open while nobody can be asked about it', async () => {
    const shop = await openShop({ settleTimeoutMs: 100 });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    shop.stub.onSettle = ({ txId }) => ({ body: { ...refused(txId).body, extra: { state: 'rejected' } } });
    expect((await fetch(url, { headers })).status).toBe(402);
    shop.stub.onSettle = () => ({ status: 401, body: { error: 'unauthorized' } });
    const open = await fetch(url, { headers });
    expect([open.status, receiptIn(open)?.errorReason]).toEqual([503, 'settlement_pending']);
    shop.stub.onSettle = () => undefined;
    await eventually(async () => (await fetch(url, { headers })).status).toBe(200);
  });

  it('stays as it was when its buyer may not be worked for at the moment', async () => {
    const store = createMemoryRedemptionStore();
    const handling = later<void>();
    let isHeld = false;
    const shop = await openShop({
      store,
      maxPaymentsPerPayer: 1,
      handlers: (app, count) =>
        void app.get('/report', async (_request, response) => {
          count();
          if (isHeld) await handling.promise;
          response.end('report');
        }),
    });
    const url = `${shop.url}/report`;
    const required = await offerAt(url);
    const headers = withPayment(pay(required, { paymentId: newId() }));
    shop.stub.onSettle = ({ txId }) => ({ body: { ...refused(txId).body, extra: { state: 'rejected' } } });
    expect((await fetch(url, { headers })).status).toBe(402);
    const [{ txId } = { txId: '' }] = shop.stub.settles();
    isHeld = true;
    const other = fetch(url, { headers: withPayment(pay(required)) });
    await eventually(() => shop.runs()).toBe(2);
    expect((await fetch(url, { headers })).status).toBe(429);
    expect(await store.get(txId)).toMatchObject({ state: 'released', receipt: { extra: { state: 'rejected' } } });
    handling.resolve();
    await other;
  });

  it('lets a handler run three times for one payment, not more', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    shop.stub.onSettle = ({ txId }) => refused(txId);
    for (const _time of [1, 2, 3]) expect((await fetch(url, { headers })).status).toBe(402);
    const fourth = await fetch(url, { headers });
    expect([fourth.status, offerIn(fourth).error, shop.runs()]).toEqual([402, 'too_many_attempts', 3]);
  });

  it('is not open to others: once it was submitted its proof may be public', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const required = await offerAt(url);
    const note = randomBytes(16);
    shop.stub.onSettle = ({ txId }) => refused(txId);
    await fetch(url, { headers: withPayment(pay(required, { note, paymentId: newId() })) });
    shop.stub.onSettle = () => undefined;
    const thief = await fetch(url, { headers: withPayment(pay(required, { note })) });
    expect([thief.status, offerIn(thief).error, shop.runs()]).toEqual([402, 'duplicate_payment', 1]);
  });

  it('as a duplicate elsewhere is final: the handler does not run again', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const payment = pay(await offerAt(url), { paymentId: newId() });
    shop.stub.onSettle = ({ txId }) => ({
      body: { success: false, errorReason: 'duplicate_settlement', transaction: txId, network: '' },
    });
    const answers = [
      await fetch(url, { headers: withPayment(payment) }),
      await fetch(url, { headers: withPayment(payment) }),
    ];
    expect(answers.map((answer) => [answer.status, offerIn(answer).error])).toEqual([
      [402, 'duplicate_payment'],
      [402, 'duplicate_payment'],
    ]);
    expect(shop.runs()).toBe(1);
  });
});

describe('a payment that is given back while it is shown to a dearer route', () => {
  it('is not taken there for the price of the first one', async () => {
    const store = createMemoryRedemptionStore();
    let reads = 0;
    const dear = { ...offer, price: '$10' };
    const shop = await openShop({
      routes: { 'GET /cheap': { accepts: offer }, 'GET /dear': { accepts: dear } },
      store: {
        getByPaymentId: (id) => store.getByPaymentId(id),
        put: (row, previous) => store.put(row, previous),
        remove: (row) => store.remove(row),
        get: async (txId) => {
          const row = await store.get(txId);
          // At its first look the dear route sees the payment on its way to settlement, then it is free again.
          return row !== undefined && ++reads === 1 ? { ...row, state: 'sending', sent: true, held: false } : row;
        },
      },
      handlers: (app, count) =>
        void app.get('/:kind', (request, response) => {
          if (request.params.kind === 'dear') count();
          response.status(500).end();
        }),
    });
    const headers = withPayment(pay(await offerAt(`${shop.url}/cheap`)));
    expect((await fetch(`${shop.url}/cheap`, { headers })).status).toBe(500);
    reads = 0;
    const response = await fetch(`${shop.url}/dear`, { headers });
    expect([response.status, offerIn(response).error, shop.runs()]).toEqual([402, 'no_matching_offer', 0]);
  });
});
