import { describe, expect, it } from 'vitest';
import type { SettlementStore } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle, withChanges } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';

/** The store as a database is: it outlives who uses it. */
const withoutClose = (store: SettlementStore): SettlementStore => withChanges(store, { close: async () => {} });

const warnings: string[] = [];
const log = {
  debug() {},
  info() {},
  warn: (_: object, message: string) => void warnings.push(message),
  error() {},
};

describe('a development node that goes back', () => {
  const h = new Harness({ development: true, instant: false });

  it('is noticed and logged, and its pending payment is submitted again and confirmed', async () => {
    warnings.length = 0;
    const facilitator = h.create({ settleTimeoutMs: 50, log });
    const payment = modelPayment(h.chain, { changes: { firstValid: 3n } });
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    h.chain.revert(5);
    // A request makes the fall known; nothing waits for a round that will not come.
    await facilitator.verify(modelPayment(h.chain).payload, payment.requirements);
    await eventually(() => h.chain.pool.size === 1);
    expect(warnings).toContain("a node's round fell");
    expect(await h.store.find(payment.txId)).toMatchObject({ round: 5n, state: 'submitted' });
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
  });

  it('proves no expiry with blocks that it showed before it went back', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50, log });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.pool.clear();
    h.chain.broke.add(payment.payer.address);
    h.chain.mine(15);
    await eventually(async () => (await facilitator.readiness()).networks[0]?.round === 25);
    // Back and forth within one wait for a block, so that nobody sees the fall; the payment is in one of the new blocks.
    h.chain.revert(12);
    h.chain.broke.clear();
    h.chain.submit(payment.bytes);
    h.chain.mine(40);
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  });

  it('lets new payments be settled below the rounds it had, also while a slow store still has or writes those', async () => {
    h.chain.instant = true;
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let isLowered: (value?: unknown) => void = () => undefined;
    const raised: bigint[] = [];
    const store = withChanges(h.store, {
      async raiseRound(...parameters) {
        raised.push(parameters[1]);
        await Promise.race([pause(100), new Promise((resolve) => (isLowered = resolve))]);
        return h.store.raiseRound(...parameters);
      },
      async lowerRound(...parameters) {
        await pause(20);
        await h.store.lowerRound(...parameters);
        isLowered();
        await pause(20);
      },
    });
    const facilitator = h.create({ store, log });
    const first = modelPayment(h.chain);
    expect(await settle(facilitator, first, KEY)).toMatchObject({ success: true });
    await eventually(() => raised.at(-1) === 11n);
    h.chain.revert(2);
    const second = modelPayment(h.chain);
    expect(await settle(facilitator, second, KEY)).toMatchObject({ success: true });
  });
});

describe('what a development node showed before it went back', () => {
  const h = new Harness({ development: true });

  it('is no reason to take a payment, or any later one, for confirmed before it was known', async () => {
    const facilitator = h.create({ log });
    const verified = modelPayment(h.chain, { changes: { firstValid: 1n } });
    expect(await facilitator.verify(verified.payload, verified.requirements)).toMatchObject({ isValid: true });
    h.chain.revert(3);
    const other = modelPayment(h.chain);
    expect(await facilitator.verify(other.payload, other.requirements)).toMatchObject({ isValid: true });
    expect(await settle(facilitator, verified, KEY)).toMatchObject({ success: true });
    expect(await settle(facilitator, modelPayment(h.chain), KEY)).toMatchObject({ success: true });
  });

  it('is no reason to overlook a payment that is in one of the blocks that came before anybody knew', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50, log });
    const verified = modelPayment(h.chain, { changes: { firstValid: 1n } });
    expect(await facilitator.verify(verified.payload, verified.requirements)).toMatchObject({ isValid: true });
    h.chain.revert(3);
    await settle(facilitator, verified, KEY);
    await eventually(async () => (await h.store.find(verified.txId))?.state === 'confirmed');
    expect(await facilitator.settlement(verified.txId)).toMatchObject({ confirmedRound: 4 });
  });

  it('confirms nothing, though its blocks come only after it went back', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 50, log });
    const payment = modelPayment(h.chain);
    await settle(facilitator, payment, KEY);
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    h.node.hold = (method) => (method === 'blockTransactionIds' ? held : undefined);
    h.chain.mine(5);
    await eventually(() => h.calls('blockTransactionIds') === 5);
    h.chain.revert(10);
    await facilitator.verify(modelPayment(h.chain).payload, payment.requirements);
    answer();
    await eventually(() => h.chain.waiters.size > 0 && h.chain.pool.has(payment.txId));
    expect(await h.store.find(payment.txId)).toMatchObject({ state: 'submitted' });
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  });
});

describe('a development node that was reset while no facilitator ran', () => {
  const h = new Harness({ development: true });

  it('takes payments again, whatever rounds the store remembers', async () => {
    const first = h.create({ store: withoutClose(h.store) });
    expect(await settle(first, modelPayment(h.chain), KEY)).toMatchObject({ success: true });
    await first.close();
    h.chain.revert(1);
    const second = h.create();
    expect(await settle(second, modelPayment(h.chain), KEY)).toMatchObject({ success: true });
  });
});

describe('a node of a real network that shows a lower round', () => {
  const h = new Harness({ instant: false });

  it('is logged, and changes nothing that is recorded', async () => {
    warnings.length = 0;
    const facilitator = h.create({ settleTimeoutMs: 50, log });
    const payment = modelPayment(h.chain);
    await settle(facilitator, payment, KEY);
    h.node.lag = 5n;
    await facilitator.verify(modelPayment(h.chain).payload, payment.requirements);
    expect(warnings).toContain("a node's round fell");
    expect(await h.store.find(payment.txId)).toMatchObject({ round: 10n, state: 'submitted' });
    h.node.lag = 0n;
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  });
});
