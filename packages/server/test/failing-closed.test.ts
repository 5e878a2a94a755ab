import express, { type RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import {
  createSeller,
  createMemoryRedemptionStore,
  paid,
  type Redemption,
  type RedemptionStore,
} from '../src/index.ts';
import { later } from './support/facilitator-stub.ts';
import { account, pay, withPayment } from './support/payments.ts';
import {
  eventually,
  facilitator,
  listen,
  offer,
  offerAt,
  openShop,
  receiptIn,
  resources,
  route,
} from './support/shop.ts';

const quiet = { onEvent: () => undefined };

const failing = (method: keyof RedemptionStore, when: (row?: Redemption) => boolean): RedemptionStore => {
  const store = createMemoryRedemptionStore();
  return {
    get: (txId) => (method === 'get' && when() ? Promise.reject(new Error('broken')) : store.get(txId)),
    getByPaymentId: (id) => store.getByPaymentId(id),
    put: (row, previous) =>
      method === 'put' && when(row) ? Promise.reject(new Error('broken')) : store.put(row, previous),
    remove: (row) => store.remove(row),
  };
};

describe('a store that throws', () => {
  it.each([
    ['on reading', failing('get', () => true), 0],
    ['on claiming', failing('put', (row) => row?.state === 'claimed'), 0],
    ['before settling', failing('put', (row) => row?.state === 'sending'), 1],
  ] as const)('%s is answered 503; nothing is settled', async (_case, store, runs) => {
    const shop = await openShop({ store });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, await response.json()]).toMatchObject([503, { error: 'store_unavailable' }]);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([runs, 0]);
  });

  it('after settling does not keep the response from its buyer', async () => {
    const shop = await openShop({ store: failing('put', (row) => row?.state === 'settled') });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, receiptIn(response)?.success]).toEqual([200, true]);
  });
});

describe('a response that is too large to be kept, when its payment can’t be recorded', () => {
  it('does not leave, for it could be had again: 503 with the receipt, and the same request gets it', async () => {
    let isBroken = true;
    const shop = await openShop({
      maxStoredBytes: 1,
      store: failing('put', (row) => isBroken && row?.state === 'settled'),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: `pay_${'4'.repeat(32)}` }));
    const response = await fetch(url, { headers });
    expect([response.status, receiptIn(response)?.success]).toEqual([503, true]);
    expect(await response.text()).not.toContain('report');
    isBroken = false;
    const second = await fetch(url, { headers });
    expect([second.status, await second.text()]).toEqual([200, '{"report":2}']);
  });
});

describe('a route that is paid up front, when the payment can’t be recorded', () => {
  const routes = { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } };

  it('for the store throws: 503 with the receipt, no handler; the same request gets the response later', async () => {
    let [isBroken, now] = [true, Date.now()];
    const store = failing('put', (row) => isBroken && row?.state === 'settled');
    const shop = await openShop({ routes, store, now: () => now });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: `pay_${'5'.repeat(32)}` }));
    const response = await fetch(url, { headers });
    expect([response.status, await response.json()]).toMatchObject([503, { error: 'store_unavailable' }]);
    expect([receiptIn(response)?.success, shop.runs()]).toEqual([true, 0]);
    [isBroken, now] = [false, now + 60_000];
    const second = await fetch(url, { headers });
    expect([second.status, receiptIn(second)?.success, shop.runs()]).toEqual([200, true, 1]);
    expect(new Set(shop.stub.settles().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('for the claim was taken for dead and is another’s: nothing runs here', async () => {
    const store = createMemoryRedemptionStore();
    const put: RedemptionStore['put'] = async (row, previous) =>
      row.state === 'settled' ? 'outdated' : store.put(row, previous);
    const shop = await openShop({
      routes,
      store: {
        get: (txId) => store.get(txId),
        getByPaymentId: (id) => store.getByPaymentId(id),
        put,
        remove: store.remove.bind(store),
      },
    });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
    expect(shop.runs()).toBe(0);
  });
});

describe('a route that is paid up front, when the claim is another’s before it was sent', () => {
  it('asks for no settlement', async () => {
    const store = createMemoryRedemptionStore();
    const put: RedemptionStore['put'] = async (row, previous) =>
      row.state === 'sending' ? 'outdated' : store.put(row, previous);
    const shop = await openShop({
      routes: { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } },
      store: {
        get: (txId) => store.get(txId),
        getByPaymentId: (id) => store.getByPaymentId(id),
        put,
        remove: (row) => store.remove(row),
      },
    });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
    expect([shop.runs(), shop.stub.settles()]).toEqual([0, []]);
  });
});

describe('a kept response, when the claim that has asked for its settlement again is another’s by then', () => {
  it('does not leave: whoever has the claim answers', async () => {
    const store = createMemoryRedemptionStore();
    const put: RedemptionStore['put'] = async (row, previous) =>
      row.state === 'settled' ? 'outdated' : store.put(row, previous);
    const shop = await openShop({
      settleTimeoutMs: 100,
      store: {
        get: (txId) => store.get(txId),
        getByPaymentId: (id) => store.getByPaymentId(id),
        put,
        remove: (row) => store.remove(row),
      },
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: `pay_${'6'.repeat(32)}` }));
    shop.stub.onSettle = () => 'cut';
    expect((await fetch(url, { headers })).status).toBe(503);
    shop.stub.onSettle = () => undefined;
    const again = await fetch(url, { headers });
    expect([again.status, receiptIn(again)?.errorReason]).toEqual([503, 'settlement_pending']);
    expect(await again.text()).not.toContain('report');
  });
});

describe('an app whose error handler throws', () => {
  it('loses the connection of that request, and nothing else: no rejection goes unhandled', async () => {
    const events: string[] = [];
    const broken = { ...route, accepts: { ...offer, price: () => Promise.reject(new Error('no price')) } };
    const charge = paid(broken, resources(await facilitator()), { onEvent: ({ type }) => void events.push(type) });
    await charge.ready;
    const url = await listen((request, response) => {
      const app = express().use((asked, answer) => {
        charge(asked, answer, (error) => {
          throw error;
        });
      });
      app(request, response);
    });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(events).toEqual(['failed', 'failed']);
  });
});

describe('the payments of one payer', () => {
  /** Brings 70 payments at once, none of which is done before all are decided on; what they were answered, in order. */
  async function payments(charges: readonly RequestHandler[]) {
    const work = later<void>();
    const app = express();
    let runs = 0;
    for (const [index, charge] of charges.entries()) {
      app.get(`/${index}`, charge, async (_request, response) => {
        runs++;
        await work.promise;
        response.send('data');
      });
    }
    const url = await listen(app);
    const required = await offerAt(`${url}/0`);
    const statuses: number[] = [];
    const answers = Array.from({ length: 70 }, async (_, number) => {
      const answer = await fetch(`${url}/${number % charges.length}`, { headers: withPayment(pay(required)) });
      statuses.push(answer.status);
    });
    await eventually(() => [runs, statuses.length]).toEqual([64, 6]);
    work.resolve();
    await Promise.all(answers);
    return statuses;
  }

  const sixRefused = [...Array.from({ length: 6 }, () => 429), ...Array.from({ length: 64 }, () => 200)];

  it('are 64 at a time, if nothing else is said', async () => {
    const server = resources(await facilitator());
    expect(await payments([paid(route, server, quiet)])).toEqual(sixRefused);
  });

  it('are counted over all handlers of one seller', async () => {
    const seller = createSeller({ server: resources(await facilitator()), ...quiet });
    expect(await payments([seller.paid(route), seller.paid(route)])).toEqual(sixRefused);
  });

  it('are capped while they are at work, other payers are not affected', async () => {
    const work = later<void>();
    const shop = await openShop({
      maxPaymentsPerPayer: 2,
      handlers: (app, count) =>
        void app.get('/report', async (_q, response) => {
          count();
          await work.promise;
          response.send('x');
        }),
    });
    const url = `${shop.url}/report`;
    const required = await offerAt(url);
    const [one, two] = [
      fetch(url, { headers: withPayment(pay(required)) }),
      fetch(url, { headers: withPayment(pay(required)) }),
    ];
    await eventually(() => shop.runs()).toBe(2);
    const third = pay(required);
    const refused = await fetch(url, { headers: withPayment(third) });
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: 'too_many_payments_in_flight' }]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const other = fetch(url, { headers: withPayment(pay(required, { from: account(8) })) });
    await eventually(() => shop.runs()).toBe(3);
    work.resolve();
    expect((await Promise.all([one, two, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fetch(url, { headers: withPayment(third) })).status).toBe(200);
  });
});

describe('verifications', () => {
  it('are bounded: what has begun ends, some wait for it, and what comes then is answered 503', async () => {
    const shop = await openShop({ maxVerifications: 1 });
    const url = `${shop.url}/report`;
    const verdict = later<undefined>();
    shop.stub.onVerify = () => verdict.promise;
    const required = await offerAt(url);
    const begun = fetch(url, { headers: withPayment(pay(required, { from: account(20) })) });
    await eventually(() => shop.stub.verifies().length).toBe(1);
    // Of the sixteen places to wait in, one peer leaves half to others.
    const more = Array.from({ length: 10 }, (_, number) =>
      fetch(url, { headers: withPayment(pay(required, { from: account(21 + number) })) }),
    );
    const early = await Promise.race(more);
    expect([early.status, await early.json()]).toMatchObject([503, { error: 'verification_overloaded' }]);
    expect(early.headers.get('retry-after')).not.toBeNull();
    verdict.resolve(undefined);
    const statuses = (await Promise.all([begun, ...more])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(9);
    expect(statuses.filter((status) => status === 503)).toHaveLength(2);
  });
});
