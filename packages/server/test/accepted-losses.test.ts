import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore } from '../src/index.ts';
import { openAcceptedShop, openSlowMarket, serveFacilitator } from './support/accepted-shop.ts';
import { receiptIn } from './support/shop.ts';
import { countingSweeps, dyingHandle } from './support/watched-store.ts';

const types = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe('an accepted route whose process died', () => {
  it('keeps what is at risk; the next process asks for the end', async () => {
    const market = await openSlowMarket();
    const store = createMemoryRedemptionStore();
    let isDead = false;
    const dying = dyingHandle(store, () => isDead);
    const first = await openAcceptedShop(market, { store: dying });
    const headers = await first.pay({ paymentId: `pay_${randomBytes(16).toString('hex')}` });
    expect((await fetch(first.url, { headers })).status).toBe(200);
    isDead = true;
    expect(await store.risks?.open()).toMatchObject([{ amount: 10_000n }]);
    const later = (): number => Date.now() + 120_000;
    const next = await openAcceptedShop(market, { store, now: later, atRisk: { perPayer: '$0.01', sweepMs: 20 } });
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
    const next = await openAcceptedShop(market, { store, now: () => Date.now() + 120_000, atRisk: { sweepMs: 20 } });
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
        atRisk: { sweepMs: 20 },
        now: () => Date.now() + longerThanAnyPayment,
        monotonicNow: () => performance.now() + elapsed,
      },
    );
    await expect.poll(() => sweeps, { timeout: 15_000 }).toBeGreaterThan(1);
    expect([types(next.events), await store.risks?.open()]).toMatchObject([[], [{ amount: 10_000n }]]);
    elapsed = longerThanAnyPayment;
    await expect.poll(() => types(next.events), { timeout: 15_000 }).toEqual(['lost']);
  });
});
