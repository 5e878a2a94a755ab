import { describe, expect, it } from 'vitest';
import { memoryRedemptionStore, type Redemption, type RedemptionStore } from '../src/index.ts';
import { later } from './support/facilitator-stub.ts';
import { account, forge, pay, withPayment } from './support/payments.ts';
import { eventually, offerAt, openShop, receiptIn } from './support/shop.ts';

describe('a store that throws', () => {
  const failing = (method: keyof RedemptionStore, when: (row?: Redemption) => boolean): RedemptionStore => {
    const store = memoryRedemptionStore();
    return {
      get: (txId) => (method === 'get' && when() ? Promise.reject(new Error('broken')) : store.get(txId)),
      getByPaymentId: (id) => store.getByPaymentId(id),
      put: (row) => (method === 'put' && when(row) ? Promise.reject(new Error('broken')) : store.put(row)),
    };
  };

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

describe('the payments of one payer', () => {
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
    const offer = await offerAt(url);
    const [one, two] = [
      fetch(url, { headers: withPayment(pay(offer)) }),
      fetch(url, { headers: withPayment(pay(offer)) }),
    ];
    await eventually(() => shop.runs()).toBe(2);
    const third = pay(offer);
    const refused = await fetch(url, { headers: withPayment(third) });
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: 'too_many_payments_in_flight' }]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const other = fetch(url, { headers: withPayment(pay(offer, { from: account(8) })) });
    await eventually(() => shop.runs()).toBe(3);
    work.resolve();
    expect((await Promise.all([one, two, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fetch(url, { headers: withPayment(third) })).status).toBe(200);
  });
});

describe('verifications', () => {
  it('are bounded: the oldest is dropped with 503, the newest gets through', async () => {
    const shop = await openShop({ maxVerifications: 3 });
    const url = `${shop.url}/report`;
    const genuine = pay(await offerAt(url));
    const verdicts = later<undefined>();
    shop.stub.onVerify = ({ body }) =>
      JSON.stringify(body.paymentPayload.payload) === JSON.stringify(genuine.payload) ? undefined : verdicts.promise;
    const flood = Array.from({ length: 5 }, (_, number) =>
      fetch(url, { headers: withPayment(forge(genuine, account(20 + number))) }),
    );
    await eventually(() => shop.stub.verifies().length).toBe(5);
    expect((await fetch(url, { headers: withPayment(genuine) })).status).toBe(200);
    verdicts.resolve(undefined);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(2);
    expect(statuses).not.toContain(200);
  });
});
