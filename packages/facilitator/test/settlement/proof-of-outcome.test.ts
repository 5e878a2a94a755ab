import { describe, expect, it } from 'vitest';
import type { Facilitator, SettlementStore } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle, withChanges, withStep } from '../harness.ts';
import { ModelNode } from '../model-chain.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';

const pending = { errorReason: 'settlement_pending' };

describe('an outcome that two nodes must tell together', () => {
  const h = new Harness({ instant: false });

  /** A payment in the last block of its window, which only the second node still has; nobody saw it come. */
  async function inLastRound(): Promise<{ archive: ModelNode; payment: ModelPayment }> {
    const archive = new ModelNode(h.chain);
    const algods = [h.node.client(), archive.client('http://archive.invalid')];
    const facilitator = h.create({ networks: [{ algods }], settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain, { rounds: 20n });
    expect(await settle(facilitator, payment, KEY)).toMatchObject(pending);
    h.chain.pool.clear();
    h.node.isDown = archive.isDown = true;
    h.chain.wake();
    await eventually(async () => (await facilitator.readiness()).networks[0]?.nodes.connected === 0);
    while (h.chain.lastRound < payment.lastValid - 1n) h.chain.mine();
    h.chain.submit(payment.bytes);
    h.chain.mine(100);
    expect(h.chain.roundOf(payment.txId)).toBe(payment.lastValid);
    h.node.oldestBlock = payment.lastValid + 1n;
    // Too far behind to be the one that is watched.
    archive.lag = 20n;
    h.node.isDown = false;
    return { archive, payment };
  }

  it('is confirmed if one lacks blocks and the other has the payment in its last round', async () => {
    const { archive, payment } = await inLastRound();
    archive.isDown = false;
    await eventually(async () => {
      h.chain.mine(10);
      return (await h.store.find(payment.txId))?.state === 'confirmed';
    });
    expect(await h.store.find(payment.txId)).toMatchObject({ confirmedRound: payment.lastValid });
  });

  it('stays open if one lacks blocks and the other fails', async () => {
    const { archive, payment } = await inLastRound();
    archive.fault = (method) => (method === 'blockTransactionIds' ? 'lost before' : undefined);
    archive.isDown = false;
    await eventually(() => {
      h.chain.mine(10);
      return (archive.calls['blockTransactionIds'] ?? 0) >= 3;
    });
    expect(await h.store.find(payment.txId)).toMatchObject({ state: 'submitted' });
    archive.fault = () => undefined;
    await eventually(async () => {
      h.chain.mine(10);
      return (await h.store.find(payment.txId))?.state === 'confirmed';
    });
  });
});

describe('a replica that lost its row to another one', () => {
  const h = new Harness();

  it('answers no success of its own', async () => {
    const store = withStep(h.store, 'confirmed', async () => false);
    const payment = modelPayment(h.chain);
    expect(await settle(h.create({ store, settleTimeoutMs: 100 }), payment, KEY)).toMatchObject(pending);
    expect(h.chain.roundOf(payment.txId)).toBeDefined();
  });
});

describe('the refusal of a payment that was sent before', () => {
  const h = new Harness({ instant: false });

  /** The store, and the steps that are taken. */
  function noting(store: SettlementStore) {
    const steps: string[] = [];
    const change: SettlementStore['change'] = (txId, owner, transition) => {
      steps.push(transition.to);
      return store.change(txId, owner, transition);
    };
    return { steps, store: withChanges(store, { change, close: async () => {} }) };
  }

  /** A payment whose first submission was lost on its way, and that is in the last block of its window all the same. */
  async function lateInLastRound(facilitator: Facilitator): Promise<ModelPayment> {
    h.node.fault = (method) => (method === 'sendRawTransaction' ? 'lost before' : undefined);
    const payment = modelPayment(h.chain, { rounds: 20n });
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('sendRawTransaction') === 1);
    while (h.chain.lastRound < payment.lastValid - 1n) h.chain.mine();
    const blocks = (): number => h.calls('blockTransactionIds');
    await eventually(() => h.chain.waiters.size > 0 && blocks() === Number(payment.lastValid - 1n) - 10);
    h.chain.submit(payment.bytes);
    expect(await answer).toMatchObject(pending);
    return payment;
  }

  it.each(['round is unavailable', 'round is told'])(
    'leaves the outcome open while one block is unsearched, if the %s',
    async (which) => {
      const { store, steps } = noting(h.store);
      const payment = await lateInLastRound(h.create({ store, settleTimeoutMs: 50 }));
      let read = (): void => {};
      const held = new Promise<void>((resolve) => (read = resolve));
      h.node.hold = (method) => (method === 'blockTransactionIds' ? held : undefined);
      const isLost = (method: string): boolean => which === 'round is unavailable' && method === 'status';
      h.node.fault = (method) => (isLost(method) ? 'lost before' : undefined);
      h.chain.mine();
      // It is sent again after its window, and refused.
      const before = h.calls('sendRawTransaction');
      await eventually(() => h.calls('sendRawTransaction') > before && h.calls('status') > 0);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(steps).toEqual(['submitted']);
      read();
      await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
      expect(steps).toEqual(['submitted', 'confirmed']);
    },
  );
});

describe('an expiry proof during which a development node goes back', () => {
  const h = new Harness({ development: true, instant: false });

  it('proves nothing', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(facilitator, payment, KEY);
    h.chain.pool.clear();
    h.chain.broke.add(payment.payer.address);
    // The watch reads 21 blocks, the proof as many: its last answer is held, and all that is read after it.
    const [proof, watch] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const isRead = (method: string): boolean => method === 'blockTransactionIds' && h.calls(method) > 41;
    h.node.hold = (method) => (isRead(method) ? (h.calls(method) > 42 ? watch : proof).promise : undefined);
    h.chain.mine(21);
    await eventually(() => h.calls('blockTransactionIds') === 42);
    h.chain.revert(12);
    h.chain.broke.clear();
    h.chain.submit(payment.bytes);
    h.chain.mine();
    const other = modelPayment(h.chain, { payerSeed: 2 });
    await facilitator.verify(other.payload, other.requirements);
    proof.resolve();
    await new Promise((resolve) => setTimeout(resolve, 50));
    watch.resolve();
    await eventually(async () => (await h.store.find(payment.txId))?.state !== 'submitted');
    expect(await h.store.find(payment.txId)).toMatchObject({ state: 'confirmed', confirmedRound: 13n });
  });
});
