import { describe, expect, it } from 'vitest';
import { createMemorySettlementStore, type SettlementStore } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, OTHER_KEY, settle, withChanges } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';

const h = new Harness();
const DAY_MS = 24 * 60 * 60 * 1000;
/** How often old settlements are looked for. */
const PAUSE_MS = 60_000;

/** The store, how often old settlements were looked for in it, and a wait for that to be due again. */
function watched(store: SettlementStore) {
  let prunings = 0;
  let chores = 0;
  const watching = withChanges(store, {
    prune(options) {
      prunings++;
      return store.prune(options);
    },
    takeOver(options) {
      chores++;
      return store.takeOver(options);
    },
  });
  const chore = async (): Promise<void> => {
    const before = chores;
    await eventually(() => chores > before + 1);
  };
  return { store: watching, prunings: () => prunings, chore };
}

/** Passes time hour by hour, as a clock does that does not jump. */
async function passHours(hours: number, pass: (ms: number) => void, chore: () => Promise<void>): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    pass(DAY_MS / 24);
    await chore();
  }
}

describe('a final settlement', () => {
  it('can be looked up for as long as it is to be kept, and is forgotten then', async () => {
    let clock = Date.now();
    const { store, prunings, chore } = watched(h.store);
    const facilitator = h.create({ store, leaseMs: 30, retentionDays: 2, now: () => clock });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.mine(40);
    const before = prunings();
    await passHours(24, (ms) => (clock += ms), chore);
    await eventually(() => prunings() > before);
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'confirmed' });
    await passHours(26, (ms) => (clock += ms), chore);
    await eventually(async () => (await facilitator.settlement(payment.txId)) === undefined);
  });

  it('can be looked up for that long even if its outcome was found only after an outage that lasted longer', async () => {
    h.chain.instant = false;
    let clock = Date.now();
    const now = (): number => clock;
    const { store, prunings, chore } = watched(createMemorySettlementStore({ now }));
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
    await passHours(26, (ms) => (clock += ms), chore);
    await eventually(async () => (await second.settlement(payment.txId)) === undefined);
  });

  it('is kept while its payment could still be presented, however old it is', async () => {
    let clock = Date.now() + 100 * DAY_MS;
    const { store, prunings } = watched(h.store);
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
    const { store, prunings } = watched(h.store);
    await h.create({ store, leaseMs: 30, now: () => clock }).start();
    await eventually(() => prunings() > 0);
    const before = prunings();
    clock -= 300 * DAY_MS;
    await eventually(() => prunings() > before);
  });

  it('is forgotten also where the process sleeps every night', async () => {
    let clock = Date.now();
    const { store, chore } = watched(h.store);
    const facilitator = h.create({ store, leaseMs: 30, retentionDays: 2, now: () => clock });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.mine(40);
    await chore();
    for (let day = 0; day < 3; day++) {
      clock += DAY_MS / 3;
      await chore();
      await passHours(16, (ms) => (clock += ms), chore);
    }
    await eventually(async () => (await facilitator.settlement(payment.txId)) === undefined);
  });

  it('is kept for a day after the clock has jumped ahead, so that somebody can set it right', async () => {
    let clock = Date.now();
    const { store, chore } = watched(h.store);
    const facilitator = h.create({ store, leaseMs: 30, retentionDays: 90, now: () => clock });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.mine(40);
    await chore();
    clock += 400 * DAY_MS;
    for (let minute = 0; minute < 5; minute++) {
      clock += PAUSE_MS;
      await chore();
    }
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'confirmed' });
    await passHours(24, (ms) => (clock += ms), chore);
    await eventually(async () => (await facilitator.settlement(payment.txId)) === undefined);
  });
});
