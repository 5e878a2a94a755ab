import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore, type PaymentPayload, type RedemptionStore } from '../src/index.ts';
import { createSqliteRedemptionStore } from '../src/sqlite.ts';
import { later, settleOnce } from './support/facilitator-stub.ts';
import { pay, withPayment } from './support/payments.ts';
import { afterwards, eventually, facilitator, offerAt, offerIn, openShop, receiptIn } from './support/shop.ts';

const LEASE_MS = 30_000;
const behindProxy = (app: Express): void => void app.set('trust proxy', 'loopback');
/** The headers of a payment to either server: they stand behind one name. */
const atShop = (payment: PaymentPayload) => ({ ...withPayment(payment), 'X-Forwarded-Host': 'shop.example' });
const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;

/**
 * Two servers on one store and one facilitator. The second one's clock runs on by a lease whenever it has seen a row, so
 * that it takes the first one, which has stopped in the middle of its work, for dead. The first one's answer has the
 * `headers`.
 */
async function twoServers(headers: Readonly<Record<string, unknown>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'takeover-'));
  afterwards(() => rm(folder, { recursive: true }));
  const open = () => {
    const store = createSqliteRedemptionStore({ path: join(folder, 'store.sqlite') });
    afterwards(async () => store.close());
    return store;
  };
  const stub = await facilitator();
  const work = later<void>();
  let passed = 0;
  const dying = await openShop({
    stub,
    store: open(),
    before: behindProxy,
    settleTimeoutMs: 1000,
    handlers: (app, count) =>
      void app.get('/report', async (_request, response) => {
        count();
        await work.promise;
        // The types of Node allow text and numbers; JavaScript does not know that.
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string);
        response.send('of the first');
      }),
  });
  const living = await openShop({
    stub,
    store: observed(open(), () => (passed += LEASE_MS + 1000)),
    before: behindProxy,
    monotonicNow: () => performance.now() + passed,
    handlers: (app, count) =>
      void app.get('/report', (_request, response) => {
        count();
        response.send('of the second');
      }),
  });
  return { stub, work, dying, living };
}

/** A store that tells of each look at a row. */
function observed(store: RedemptionStore, look: () => void): RedemptionStore {
  return {
    get: async (txId) => {
      const row = await store.get(txId);
      look();
      return row;
    },
    getByPaymentId: (id) => store.getByPaymentId(id),
    put: (next, previous) => store.put(next, previous),
    remove: (row) => store.remove(row),
  };
}

describe('a server that dies with a claim', () => {
  it('in its handler: another one runs it for whoever comes; the dead one, come to life, serves and settles nothing', async () => {
    const { stub, work, dying, living } = await twoServers();
    const headers = atShop(pay(await offerAt(`${dying.url}/report`)));
    const first = fetch(`${dying.url}/report`, { headers });
    await eventually(() => dying.runs()).toBe(1);
    const second = await fetch(`${living.url}/report`, { headers });
    expect([second.status, await second.text()]).toEqual([200, 'of the second']);
    work.resolve();
    const late = await first;
    expect([late.status, receiptIn(late)?.errorReason]).toEqual([503, 'settlement_pending']);
    expect(stub.settles()).toHaveLength(1);
  });

  it('in its handler: whoever has waited for it goes on with it, by himself', async () => {
    const stub = await facilitator();
    const store = createMemoryRedemptionStore();
    let [now, looks] = [0, 0];
    const shop = await openShop({ stub, store: observed(store, () => looks++), monotonicNow: () => now });
    const stuck = await openShop({
      stub,
      store,
      handlers: (app, count) => void app.get('/report', () => count()),
    });
    const headers = atShop(pay(await offerAt(`${shop.url}/report`)));
    void fetch(`${stuck.url}/report`, { headers }).catch(() => undefined);
    await eventually(() => stuck.runs()).toBe(1);
    const waiting = fetch(`${shop.url}/report`, { headers });
    await eventually(() => looks).toBeGreaterThan(1);
    now += LEASE_MS + 1000;
    expect((await waiting).status).toBe(200);
    expect(shop.runs()).toBe(1);
  });

  it('while it settles: the buyer gets the response that was kept, by the same key and without another run', async () => {
    const { stub, work, dying, living } = await twoServers();
    work.resolve();
    const headers = atShop(pay(await offerAt(`${dying.url}/report`), { paymentId: newId() }));
    const broken = later<'cut'>();
    stub.onSettle = (call) => {
      settleOnce(stub, call);
      return broken.promise;
    };
    const first = fetch(`${dying.url}/report`, { headers });
    await eventually(() => stub.settles().length).toBe(1);
    stub.onSettle = () => undefined;
    const second = await fetch(`${living.url}/report`, { headers });
    expect([second.status, await second.text()]).toEqual([200, 'of the first']);
    expect(new Set(stub.settles().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect([dying.runs(), living.runs()]).toEqual([1, 0]);
    broken.resolve('cut');
    expect((await first).status).not.toBe(402);
  });

  it('while it settles, and the payment had no id: nobody takes it over, and all are told of the settlement', async () => {
    const { stub, work, dying, living } = await twoServers();
    work.resolve();
    const headers = atShop(pay(await offerAt(`${dying.url}/report`)));
    stub.onSettle = () => 'hang';
    const first = fetch(`${dying.url}/report`, { headers });
    await eventually(() => stub.settles().length).toBe(1);
    const early = await fetch(`${living.url}/report`, { headers });
    expect([early.status, receiptIn(early)?.errorReason]).toEqual([503, 'settlement_pending']);
    const [call] = stub.settles();
    if (call) settleOnce(stub, call);
    const informed = await fetch(`${living.url}/report`, { headers });
    expect([informed.status, offerIn(informed).error, receiptIn(informed)?.success]).toEqual([
      402,
      'duplicate_payment',
      true,
    ]);
    expect(living.runs()).toBe(0);
    expect((await first).status).toBe(503);
  });
});

describe('two servers on one store', () => {
  it('redeem a payment once, however many requests bring it to both', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'shared-'));
    afterwards(() => rm(folder, { recursive: true }));
    const stub = await facilitator();
    const open = () => openShop({ stub, store: createSqliteRedemptionStore({ path: join(folder, 'store.sqlite') }) });
    const shops = [await open(), await open()];
    const headers = atShop(pay(await offerAt(`${shops[0]?.url}/report`)));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, number) => fetch(`${shops[number % 2]?.url}/report`, { headers })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 402);
    expect(refused.map((answer) => [offerIn(answer).error, receiptIn(answer)?.success])).toEqual(
      Array.from({ length: 39 }, () => ['duplicate_payment', true]),
    );
    expect([shops.map(({ runs }) => runs()).toSorted((a, b) => a - b), stub.settles().length]).toEqual([[0, 1], 1]);
  });

  it('both have an answer for its buyer, though its headers were set to values of any kind', async () => {
    const { living, dying, work } = await twoServers({ 'x-fresh': true, 'x-days': [1, 2] });
    work.resolve();
    const headers = atShop(pay(await offerAt(`${dying.url}/report`), { paymentId: newId() }));
    const answers = [await fetch(`${dying.url}/report`, { headers }), await fetch(`${living.url}/report`, { headers })];
    expect(
      answers.map((answer) => [answer.status, answer.headers.get('x-fresh'), answer.headers.get('x-days')]),
    ).toEqual([
      [200, 'true', '1, 2'],
      [200, 'true', '1, 2'],
    ]);
  });
});
