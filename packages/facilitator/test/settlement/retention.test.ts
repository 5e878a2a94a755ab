import { describe, expect, it } from 'vitest';
import { createMemorySettlementStore, type SettlementStore } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, OTHER_KEY, settle, withChanges } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';

const h = new Harness();
const DAY_MS = 24 * 60 * 60 * 1000;
/** How often old settlements are looked for. */
const PAUSE_MS = 60_000;

/** The store, and how often old settlements were looked for in it. */
function countingPrunings(store: SettlementStore): [store: SettlementStore, prunings: () => number] {
  let prunings = 0;
  const counting = withChanges(store, {
    prune(options) {
      prunings++;
      return store.prune(options);
    },
  });
  return [counting, () => prunings];
}

describe('a final settlement', () => {
  it('can be looked up for as long as it is to be kept, and is forgotten then', async () => {
    let clock = Date.now();
    const [store, prunings] = countingPrunings(h.store);
    const facilitator = h.create({ store, leaseMs: 30, retentionDays: 2, now: () => clock });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.mine(40);
    const before = prunings();
    clock += DAY_MS;
    await eventually(() => prunings() > before);
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'confirmed' });
    clock += 1.1 * DAY_MS;
    await eventually(async () => (await facilitator.settlement(payment.txId)) === undefined);
  });

  it('can be looked up for that long even if its outcome was found only after an outage that lasted longer', async () => {
    h.chain.instant = false;
    let clock = Date.now();
    const now = (): number => clock;
    const [store, prunings] = countingPrunings(createMemorySettlementStore({ now }));
    const payment = modelPayment(h.chain, { rounds: 20n });
    const first = h.create({ store, settleTimeoutMs: 50, now });
    expect(await settle(first, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await first.close();
    h.chain.mine(40);
    clock += 3 * DAY_MS;
    const second = h.create({ store, leaseMs: 30, retentionDays: 1, now });
    await second.start();
    await eventually(async () => (await second.settlement(payment.txId))?.final !== false);
    const before = prunings();
    await eventually(() => {
      clock += PAUSE_MS;
      return prunings() > before + 1;
    });
    expect(await settle(second, payment, KEY)).toMatchObject({ success: true });
    clock += 1.1 * DAY_MS;
    await eventually(async () => (await second.settlement(payment.txId)) === undefined);
  });

  it('is kept while its payment could still be presented, however old it is', async () => {
    let clock = Date.now() + 100 * DAY_MS;
    const [store, prunings] = countingPrunings(h.store);
    const facilitator = h.create({ store, leaseMs: 30, retentionDays: 1, now: () => clock });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.mine(25);
    const before = prunings();
    await eventually(() => {
      clock += PAUSE_MS;
      return prunings() > before + 1;
    });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'confirmed' });
    h.chain.mine(10);
    await eventually(async () => {
      // What is looked for before the new rounds are known goes the next time.
      clock += PAUSE_MS;
      return (await facilitator.settlement(payment.txId)) === undefined;
    });
    for (const key of [KEY, OTHER_KEY]) {
      expect(await settle(facilitator, payment, key), 'nothing is answered twice').toMatchObject({ success: false });
    }
    expect(h.node.calls['sendRawTransaction']).toBe(1);
  });

  it('is looked for once a minute, and more often only while there are more than one batch', async () => {
    let clock = Date.now();
    const removed = [500, 500, 3];
    let prunings = 0;
    let renewals = 0;
    const store = withChanges(h.store, {
      prune: async () => removed[prunings++] ?? 0,
      takeOver(options) {
        renewals++;
        return h.store.takeOver(options);
      },
    });
    await h.create({ store, leaseMs: 30, now: () => clock }).start();
    await eventually(() => prunings === 3);
    const before = renewals;
    await eventually(() => renewals > before + 3);
    expect(prunings).toBe(3);
    clock += PAUSE_MS;
    await eventually(() => prunings === 4);
  });

  it('is looked for once a minute, too, when the clock was set back', async () => {
    let clock = Date.now();
    const [store, prunings] = countingPrunings(h.store);
    await h.create({ store, leaseMs: 30, now: () => clock }).start();
    await eventually(() => prunings() > 0);
    const before = prunings();
    clock -= 300 * DAY_MS;
    await eventually(() => prunings() > before);
  });
});
