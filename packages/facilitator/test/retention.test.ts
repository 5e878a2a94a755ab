import { describe, expect, it } from 'vitest';
import { memorySettlementStore } from '../src/index.ts';
import { eventually } from './eventually.ts';
import { Harness, KEY, settle, withChanges } from './harness.ts';
import { modelPayment } from './model-payment.ts';

const h = new Harness();
const DAY_MS = 24 * 60 * 60 * 1000;
/** How often old settlements are looked for. */
const PAUSE_MS = 60_000;

describe('a final settlement', () => {
  it('can be looked up for as long as it is to be kept, and is forgotten then', async () => {
    let clock = Date.now();
    const facilitator = h.create({ leaseMs: 30, retentionDays: 2, now: () => clock });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.mine(40);
    clock += DAY_MS;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'confirmed' });
    clock += 1.1 * DAY_MS;
    await eventually(async () => (await facilitator.settlement(payment.txId)) === undefined);
  });

  it('can be looked up for that long even if its outcome was found only after an outage that lasted longer', async () => {
    h.chain.instant = false;
    let clock = Date.now();
    let prunings = 0;
    const now = (): number => clock;
    const memory = memorySettlementStore({ now });
    const store = withChanges(memory, {
      prune(options) {
        prunings++;
        return memory.prune(options);
      },
    });
    const payment = modelPayment(h.chain, { rounds: 20n });
    const first = h.create({ store, settleTimeoutMs: 50, now });
    expect(await settle(first, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await first.close();
    h.chain.mine(40);
    clock += 3 * DAY_MS;
    const second = h.create({ store, leaseMs: 30, retentionDays: 1, now });
    await second.start();
    await eventually(async () => (await second.settlement(payment.txId))?.final !== false);
    prunings = 0;
    await eventually(() => {
      clock += PAUSE_MS;
      return prunings > 1;
    });
    expect(await settle(second, payment, KEY)).toMatchObject({ success: true });
    clock += 1.1 * DAY_MS;
    await eventually(async () => (await second.settlement(payment.txId)) === undefined);
  });

  it('is kept while its payment could still be presented, however old it is', async () => {
    let clock = Date.now() + 100 * DAY_MS;
    const facilitator = h.create({ leaseMs: 30, retentionDays: 1, now: () => clock });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.mine(25);
    clock += PAUSE_MS;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'confirmed' });
    h.chain.mine(10);
    await eventually(async () => {
      // What is looked for before the new rounds are known goes the next time.
      clock += PAUSE_MS;
      return (await facilitator.settlement(payment.txId)) === undefined;
    });
  });

  it('is looked for once a minute, and oftener only while there are more than one batch', async () => {
    let clock = Date.now();
    const removed = [500, 500, 3];
    let prunings = 0;
    const store = withChanges(h.store, { prune: async () => removed[prunings++] ?? 0 });
    await h.create({ store, leaseMs: 30, now: () => clock }).start();
    await eventually(() => prunings === 3);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(prunings).toBe(3);
    clock += PAUSE_MS;
    await eventually(() => prunings === 4);
  });
});
