import { randomBytes } from 'node:crypto';
import { accountFromSeed } from '@avm402/algorand/account';
import { describe, expect, it } from 'vitest';
import {
  createMemoryRedemptionStore,
  createSeller,
  paymentMiddleware,
  type Redemption,
  type RedemptionStore,
} from '../src/index.ts';
import { mineUntil, openAcceptedShop, openSlowMarket, serveFacilitator } from './support/accepted-shop.ts';
import { eventually, offer, offerIn, receiptIn, resources } from './support/shop.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;
const types = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe('an accepted route', () => {
  it('answers before the block with a receipt that says that the outcome is open, and settles behind', async () => {
    const market = await openSlowMarket();
    const { url, pay, events, runs } = await openAcceptedShop(market);
    const headers = await pay({ paymentId: newId() });
    const answer = await fetch(url, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, 'a report']);
    expect(receiptIn(answer)).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: expect.stringMatching(/^[A-Z2-7]{52}$/),
    });
    expect(market.received()).toBe(0n);
    const again = await fetch(url, { headers });
    expect([again.status, await again.text(), receiptIn(again)?.errorReason]).toEqual([
      200,
      'a report',
      'settlement_pending',
    ]);
    await market.node.mine();
    await eventually(() => types(events)).toContain('settled');
    expect(market.received()).toBe(10_000n);
    await expect
      .poll(async () => {
        const last = await fetch(url, { headers });
        return [last.status, await last.text(), receiptIn(last)];
      })
      .toEqual([200, 'a report', expect.objectContaining({ success: true, extra: { confirmedRound: '1' } })]);
    expect(runs()).toBe(1);
  });

  it('tells who presents the payment without its id that the outcome is open, then that it is used', async () => {
    const market = await openSlowMarket();
    const { url, pay, runs } = await openAcceptedShop(market);
    const headers = await pay();
    expect((await fetch(url, { headers })).status).toBe(200);
    const open = await fetch(url, { headers });
    expect([open.status, receiptIn(open)?.errorReason]).toEqual([503, 'settlement_pending']);
    await market.node.mine();
    await expect.poll(async () => (await fetch(url, { headers })).status).toBe(402);
    const used = await fetch(url, { headers });
    expect([offerIn(used).error, receiptIn(used)?.success]).toEqual(['duplicate_payment', true]);
    expect(runs()).toBe(1);
  });

  it.each([
    ['a payment', { perPayment: '$0.009' }, 0],
    ['a payer', { perPayer: '$0.02' }, 2],
    ['all payers', { total: '$0.029' }, 2],
    ['an hour', { lossPerHour: '$0.01' }, 1],
  ])('waits for the block beyond what may be at risk of %s', async (_of, atRisk, early) => {
    const market = await openSlowMarket();
    const { url, pay, events } = await openAcceptedShop(market, { atRisk });
    const answers: Promise<Response>[] = [];
    for (let index = 0; index < 4; index++) answers.push(fetch(url, { headers: await pay() }));
    await eventually(() => events.filter(({ type }) => type === 'accepted').length).toBe(early);
    await expect.poll(async () => (await market.facilitator.readiness()).settlements.pending).toBe(4);
    const receipts = (await mineUntil(market.node, Promise.all(answers))).map((answer) => receiptIn(answer)?.success);
    expect(receipts.filter((success) => success === false)).toHaveLength(early);
    expect(receipts.filter((success) => success === true)).toHaveLength(4 - early);
    await eventually(() => types(events).filter((type) => type === 'settled').length).toBe(4);
    // What was at risk is free again.
    if (early > 0) expect((await fetch(url, { headers: await pay() })).status).toBe(200);
  });

  it('tells a loss, and does not trust its payer again before a payment of his is in a block', async () => {
    const market = await openSlowMarket({ facilitator: { settleTimeoutMs: 500 } });
    const { node } = market;
    const { url, pay, events } = await openAcceptedShop(market);
    const headers = await pay({ seconds: 1 });
    const answer = await fetch(url, { headers });
    const txId = receiptIn(answer)?.transaction ?? '';
    await node.drop(txId);
    await node.mine(1_000);
    await eventually(() => types(events)).toContain('lost');
    expect(events.find(({ type }) => type === 'lost')).toMatchObject({ txId, payer: node.accounts.payer.address });
    const waiting = fetch(url, { headers: await pay() });
    expect(receiptIn(await mineUntil(node, waiting))?.success).toBe(true);
    expect(receiptIn(await fetch(url, { headers: await pay() }))?.errorReason).toBe('settlement_pending');
    expect(types(events).filter((type) => type === 'lost')).toHaveLength(1);
  });

  it('waits for the block with a payment of few rounds, and with a key that is not the payer’s own', async () => {
    const market = await openSlowMarket();
    const { node } = market;
    const { url, pay, events } = await openAcceptedShop(market);
    const few = await pay({ seconds: 1 });
    await node.mine(7);
    const { payer2: rekeyed, payer3: signer } = node.accounts;
    await node.setAuthAddress(rekeyed.address, signer.address);
    const seed = Buffer.from(signer.privateKey, 'base64').subarray(0, 32);
    const other = await pay({ by: accountFromSeed(seed, { address: rekeyed.address }) });
    const answers = [fetch(url, { headers: few }), fetch(url, { headers: other })];
    await expect.poll(async () => (await market.facilitator.readiness()).settlements.pending).toBe(2);
    for (const answer of await mineUntil(node, Promise.all(answers))) expect(receiptIn(answer)?.success).toBe(true);
    expect(types(events)).not.toContain('accepted');
  });

  it('keeps what is at risk when its process dies; the next one asks for the end', async () => {
    const market = await openSlowMarket();
    const store = createMemoryRedemptionStore();
    let isDead = false;
    const dying = dyingHandle(store, () => isDead);
    const first = await openAcceptedShop(market, { store: dying });
    const headers = await first.pay({ paymentId: newId() });
    expect((await fetch(first.url, { headers })).status).toBe(200);
    isDead = true;
    expect(await store.risks?.open()).toMatchObject([{ amount: 10_000n }]);
    const later = (): number => Date.now() + 120_000;
    const next = await openAcceptedShop(market, { store, now: later, atRisk: { perPayer: '$0.01' } });
    await market.node.mine();
    await expect.poll(async () => store.risks?.open(), { timeout: 10_000 }).toEqual([]);
    const txId = receiptIn(await fetch(next.url, { headers: await next.pay() }))?.transaction;
    expect(txId).toHaveLength(52);
    expect(types(next.events)).toContain('accepted');
  });

  it('tells a loss whose redemption the store has dropped', async () => {
    const market = await openSlowMarket({ facilitator: { settleTimeoutMs: 500 } });
    const store = createMemoryRedemptionStore();
    let isDead = false;
    const first = await openAcceptedShop(market, { store: dyingHandle(store, () => isDead) });
    const txId = receiptIn(await fetch(first.url, { headers: await first.pay({ seconds: 1 }) }))?.transaction ?? '';
    isDead = true;
    const row = await store.get(txId);
    expect(row && (await store.remove(row))).toBe(true);
    await market.node.drop(txId);
    await market.node.mine(1_000);
    const next = await openAcceptedShop(market, { store, now: () => Date.now() + 120_000 });
    await expect.poll(() => types(next.events), { timeout: 15_000 }).toEqual(['lost']);
    expect(next.events).toMatchObject([{ txId, payer: market.node.accounts.payer.address }]);
  });

  it('tells a loss that no facilitator has a record of once the payment can’t be valid any more, whatever the clock says', async () => {
    const market = await openSlowMarket();
    const store = createMemoryRedemptionStore();
    let isDead = false;
    const first = await openAcceptedShop(market, { store: dyingHandle(store, () => isDead) });
    expect((await fetch(first.url, { headers: await first.pay() })).status).toBe(200);
    isDead = true;
    const { facilitatorUrl } = await serveFacilitator(market.node);
    const longerThanAnyPayment = 61 * 60_000;
    let [sweeps, elapsed] = [0, 0];
    const next = await openAcceptedShop(
      { node: market.node, facilitatorUrl },
      {
        store: countingSweeps(store, () => sweeps++),
        now: () => Date.now() + longerThanAnyPayment,
        monotonicNow: () => performance.now() + elapsed,
      },
    );
    await expect.poll(() => sweeps, { timeout: 15_000 }).toBeGreaterThan(1);
    expect([types(next.events), await store.risks?.open()]).toMatchObject([[], [{ amount: 10_000n }]]);
    elapsed = longerThanAnyPayment;
    await expect.poll(() => types(next.events), { timeout: 15_000 }).toEqual(['lost']);
  });

  it('forgets no risk of a process that stood still and goes on when others take it for dead', async () => {
    const market = await openSlowMarket();
    const store = createMemoryRedemptionStore();
    const stopped = stoppedBefore(store, ({ accepted }) => accepted === true);
    const first = await openAcceptedShop(market, { store: stopped.store });
    const answer = fetch(first.url, { headers: await first.pay({ paymentId: newId() }) });
    await stopped.isStopped;
    const hours = 3_600_000;
    let elapsed = 0;
    const clock = () => performance.now() + (elapsed += hours);
    await openAcceptedShop(market, { store, now: () => Date.now() + hours, monotonicNow: clock });
    await expect.poll(async () => store.risks?.open(), { timeout: 15_000 }).toEqual([]);
    stopped.goOn();
    const { status } = await answer;
    const risks = (await store.risks?.open())?.length;
    // Whatever has left before its block is at risk.
    expect([status === 200, risks]).toEqual([false, 0]);
  });
});

/** A handle on a store whose process stands still before it writes such a row. */
function stoppedBefore(store: RedemptionStore, isIt: (next: Redemption) => boolean) {
  const [stop, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const put: RedemptionStore['put'] = async (next, previous) => {
    if (isIt(next)) {
      stop.resolve();
      await go.promise;
    }
    return store.put(next, previous);
  };
  const handle = new Proxy(store, { get: (of, name) => (name === 'put' ? put : memberOf(of, name)) });
  return { store: handle, isStopped: stop.promise, goOn: go.resolve };
}

/** A handle on a store that tells when somebody looks at all that is at risk. */
function countingSweeps(store: RedemptionStore, onSweep: () => void): RedemptionStore {
  const { risks } = store;
  if (risks === undefined) throw new Error('the store keeps nothing at risk');
  const watched = new Proxy(risks, {
    get(of, name) {
      if (name === 'open') onSweep();
      return memberOf(of, name);
    },
  });
  return new Proxy(store, { get: (of, name) => (name === 'risks' ? watched : memberOf(of, name)) });
}

function memberOf(of: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(of, name);
  return typeof member === 'function' ? member.bind(of) : member;
}

/** A handle on a store that throws once its process is dead. */
function dyingHandle<T extends object>(store: T, isDead: () => boolean): T {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'object' && member !== null) return dyingHandle(member, isDead);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (isDead()) throw new Error('the process is dead');
        return member.apply(target, args);
      };
    },
  });
}

describe('the option atRisk', () => {
  it('refuses unknown members, what is no price, and a store that does not keep what is at risk', () => {
    const facilitator = 'http://127.0.0.1:1';
    const { risks: _, ...store } = createMemoryRedemptionStore();
    for (const option of [
      { atRisk: { perPayers: '$1' } as object },
      { atRisk: { total: '5 €' } },
      { atRisk: {}, store },
    ]) {
      expect(() => createSeller({ facilitator, ...option })).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      );
    }
  });

  it('is needed by a route whose answers leave before the block', () => {
    const accepts = { ...offer, extra: { paymentFlow: 'accepted' } };
    const server = resources({ url: 'http://127.0.0.1:1' });
    expect(() => paymentMiddleware({ 'GET /report': { accepts } }, server)).toThrow(/atRisk/);
  });
});
