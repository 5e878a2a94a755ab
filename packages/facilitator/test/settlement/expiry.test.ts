import { describe, expect, it } from 'vitest';
import type { Facilitator } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle } from '../harness.ts';
import { ModelNode } from '../model-chain.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';

const h = new Harness({ instant: false });

const stateOf = async (payment: ModelPayment): Promise<string> => (await h.store.find(payment.txId))?.state ?? 'none';

/** A payment that a node accepted and then lost: it is in no pool and no block. */
async function forgotten(facilitator: Facilitator, rounds = 20n): Promise<ModelPayment> {
  const payment = modelPayment(h.chain, { rounds });
  expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
  h.chain.broke.add(payment.payer.address);
  h.chain.pool.clear();
  return payment;
}

/** Waits until the watcher has looked at the latest block. */
async function seen(facilitator: Facilitator): Promise<void> {
  const round = Number(h.chain.lastRound);
  await eventually(async () => (await facilitator.readiness()).networks[0]?.round === round);
  await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a pending payment', () => {
  it('is submitted again when a node took it, but for some time and some rounds no block did', async () => {
    let clock = Date.now();
    const facilitator = h.create({ settleTimeoutMs: 50, now: () => clock });
    const payment = await forgotten(facilitator);
    h.chain.broke.clear();
    h.chain.mine(6);
    await seen(facilitator);
    expect(h.calls('sendRawTransaction')).toBe(1);
    clock += 10_000;
    h.chain.mine();
    await eventually(() => h.chain.pool.size === 1);
    h.chain.mine();
    await eventually(async () => (await stateOf(payment)) === 'confirmed');
    expect(h.calls('sendRawTransaction')).toBe(2);
  });

  it('does not expire before its last valid round', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = await forgotten(facilitator);
    while (h.chain.lastRound < payment.lastValid - 1n) h.chain.mine();
    await seen(facilitator);
    expect(['submitted', 'rejected']).toContain(await stateOf(payment));
    h.chain.mine();
    await eventually(async () => (await stateOf(payment)) === 'expired');
  });

  it('expires only when all blocks of its window can be had', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = await forgotten(facilitator);
    h.node.oldestBlock = 11n;
    h.chain.mine(25);
    await seen(facilitator);
    expect(['submitted', 'rejected']).toContain(await stateOf(payment));
    h.node.oldestBlock = 1n;
    h.chain.mine(60);
    await eventually(async () => (await stateOf(payment)) === 'expired');
  });

  it('expires by the word of another node that has all blocks', async () => {
    const archive = new ModelNode(h.chain);
    const algods = [h.node.client(), archive.client('http://archive.invalid')];
    const facilitator = h.create({ networks: [{ algods }], settleTimeoutMs: 50 });
    const payment = await forgotten(facilitator);
    h.node.oldestBlock = 11n;
    h.chain.mine(25);
    await eventually(async () => (await stateOf(payment)) === 'expired');
    expect(archive.calls['blockTransactionIds']).toBeGreaterThan(0);
  });

  it('does not expire by the word of a node that took over the watch halfway', async () => {
    const second = new ModelNode(h.chain);
    const algods = [h.node.client(), second.client('http://second.invalid')];
    const facilitator = h.create({ networks: [{ algods }], settleTimeoutMs: 50 });
    const payment = await forgotten(facilitator);
    h.chain.mine(10);
    await seen(facilitator);
    h.node.isDown = true;
    h.chain.wake();
    h.chain.mine(15);
    await eventually(async () => (await stateOf(payment)) === 'expired');
    const window = Number(payment.lastValid - 10n) + 1;
    expect(second.calls['blockTransactionIds']).toBeGreaterThanOrEqual(window);
  });

  it.each(['beside one that is not', 'alone'])(
    'is never called expired because a node is 20 rounds behind, %s',
    async (which) => {
      const behind = new ModelNode(h.chain);
      behind.lag = 20n;
      h.chain.mine(30);
      const all = [behind.client('http://behind.invalid'), h.node.client()];
      const algods = which === 'alone' ? all.slice(0, 1) : all;
      const facilitator = h.create({ networks: [{ algods }], settleTimeoutMs: 30 });
      await facilitator.start();
      const payments: ModelPayment[] = [];
      for (let index = 0; index < 20; index++) {
        const payment = modelPayment(h.chain, {
          rounds: 20n + BigInt(index % 4),
          changes: { firstValid: behind.lastRound },
        });
        payments.push(payment);
        await settle(facilitator, payment, KEY);
        h.chain.mine();
      }
      h.chain.mine(60);
      await eventually(async () => (await Promise.all(payments.map(stateOf))).every((state) => state !== 'submitted'));
      const inBlocks = payments.filter(({ txId }) => h.chain.roundOf(txId) !== undefined);
      expect(inBlocks.length).toBeGreaterThan(5);
      for (const payment of inBlocks) expect(await stateOf(payment)).toBe('confirmed');
    },
  );
});
