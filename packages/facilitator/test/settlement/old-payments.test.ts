import { expect, it } from 'vitest';
import type { SettlementStore } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle } from '../harness.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';

const h = new Harness({ instant: false });

/** The store, whose leases run out at once and which outlives those who close it. */
function abandoned(store: SettlementStore): SettlementStore {
  const members: Partial<SettlementStore> = {
    record: (settlement, options) => store.record(settlement, { ...options, leaseMs: 0 }),
    takeOver: (options) => store.takeOver({ ...options, leaseMs: 0 }),
    close: async () => {},
  };
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(members, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Payments that a facilitator submitted before it died, and that the node lost. */
async function leftBehind(count: number, rounds: bigint): Promise<ModelPayment[]> {
  const dead = h.create({ store: abandoned(h.store), settleTimeoutMs: 20 });
  const payments = Array.from({ length: count }, () => modelPayment(h.chain, { rounds }));
  await Promise.all(payments.map((payment) => settle(dead, payment, KEY)));
  await dead.close();
  h.chain.pool.clear();
  return payments;
}

it('payments that expire together cost one reading of their blocks, even if many readings fail', async () => {
  const payments = await leftBehind(30, 20n);
  h.chain.broke.add(payments[0]?.payer.address ?? '');
  h.chain.mine(25);
  const before = h.calls('blockTransactionIds');
  let reads = 0;
  h.node.fault = (method) => (method === 'blockTransactionIds' && ++reads % 4 === 0 ? 'lost before' : undefined);
  const next = h.create({ store: abandoned(h.store) });
  await next.start();
  await eventually(async () => {
    h.chain.mine();
    const rows = await Promise.all(payments.map(({ txId }) => h.store.find(txId)));
    return rows.every((row) => row?.state === 'expired');
  });
  expect(h.calls('blockTransactionIds') - before).toBeLessThan(200);
});

it('a payment is confirmed while the blocks of an older one still can’t be read', async () => {
  await leftBehind(1, 900n);
  h.chain.mine(100);
  const node = h.node.client();
  const blockTransactionIds = (round: bigint): Promise<string[]> =>
    round < 50n ? new Promise(() => {}) : node.blockTransactionIds(round);
  const next = h.create({
    networks: [{ algods: [{ ...node, blockTransactionIds }] }],
    store: abandoned(h.store),
    settleTimeoutMs: 2_000,
  });
  await next.start();
  const fresh = modelPayment(h.chain, { payerSeed: 2 });
  const answer = settle(next, fresh, KEY);
  await eventually(() => h.chain.pool.has(fresh.txId));
  h.chain.mine();
  expect(await answer).toMatchObject({ success: true, transaction: fresh.txId });
});
