import { describe, expect, it } from 'vitest';
import type { Facilitator } from '../../src/index.ts';
import { silentLog } from '../../src/log/log.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle } from '../harness.ts';
import { ModelNode, refused } from '../model-chain.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';

const h = new Harness({ instant: false });

/** Blocks that a node keeps that is no archive. */
const KEPT = 1000n;

const stateOf = async (payment: ModelPayment): Promise<string> => (await h.store.find(payment.txId))?.state ?? 'none';

/** A payment that waits for a block. */
async function pending(facilitator: Facilitator, rounds = 900n): Promise<ModelPayment> {
  const payment = modelPayment(h.chain, { rounds });
  expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
  return payment;
}

/** The node is away while `happens`, and keeps the chain's last blocks only when it is back. */
async function away(facilitator: Facilitator, happens: () => void): Promise<void> {
  h.node.isDown = true;
  h.chain.wake();
  await eventually(async () => (await facilitator.readiness()).networks[0]?.nodes.connected === 0);
  happens();
  h.node.oldestBlock = h.chain.lastRound - KEPT + 1n;
  h.node.isDown = false;
}

describe('a node that was away for more rounds than it keeps', () => {
  it('confirms new payments, though a payment waits whose blocks it has no more', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const old = await pending(facilitator);
    await away(facilitator, () => h.chain.mine(1500));
    const fresh = modelPayment(h.chain, { payerSeed: 2 });
    await eventually(async () => (await settle(facilitator, fresh, KEY)).errorReason === 'settlement_pending');
    h.chain.mine();
    await eventually(async () => (await stateOf(fresh)) === 'confirmed');
    expect(await stateOf(old)).toBe('submitted');
  });

  it('is not asked for the blocks that it has no more in every round', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    const facilitator = h.create({ settleTimeoutMs: 50, log });
    await pending(facilitator);
    await away(facilitator, () => h.chain.mine(1500));
    await eventually(() => warnings.includes('earlier blocks could not be read'));
    for (let round = 0; round < 30; round++) {
      h.chain.mine();
      await eventually(() => h.chain.waiters.size > 0);
    }
    expect(warnings.filter((warning) => warning === 'earlier blocks could not be read')).toHaveLength(1);
  });

  it('confirms the payment that is in one of the blocks that it has', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = await pending(facilitator);
    h.chain.pool.clear();
    await away(facilitator, () => {
      h.chain.mine(700);
      h.chain.submit(payment.bytes);
      h.chain.mine(800);
    });
    await eventually(async () => (await stateOf(payment)) === 'confirmed');
  });

  it('leaves it to one that keeps all blocks to prove that a payment expired', async () => {
    const archive = new ModelNode(h.chain);
    const algods = [h.node.client(), archive.client('http://archive.invalid')];
    const facilitator = h.create({ networks: [{ algods }], settleTimeoutMs: 50 });
    const payment = await pending(facilitator);
    h.chain.pool.clear();
    archive.isDown = true;
    await away(facilitator, () => h.chain.mine(1500));
    await eventually(async () => (await facilitator.readiness()).networks[0]?.round === 1510);
    archive.isDown = false;
    await eventually(async () => {
      h.chain.mine();
      return (await stateOf(payment)) === 'expired';
    });
  });
});

it('a node that does not have its latest block yet is asked again, and the payment in it is confirmed', async () => {
  const facilitator = h.create({ settleTimeoutMs: 50 });
  const payment = await pending(facilitator);
  let missing = 2;
  h.node.fault = (method) => (method === 'blockTransactionIds' && missing-- > 0 ? refused(404, 'no block') : undefined);
  h.chain.mine();
  await eventually(async () => (await stateOf(payment)) === 'confirmed');
  expect((await facilitator.readiness()).networks[0]?.nodes.connected).toBe(1);
});
