import { describe, expect, it } from 'vitest';
import type { SettlementStore } from '../../src/index.ts';
import { type Log, silentLog } from '../../src/log/log.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle, withChanges, withStep } from '../harness.ts';
import { ModelNode, refused } from '../model-chain.ts';
import { modelPayment } from '../model-payment.ts';

const h = new Harness({ instant: false });

const broken = () => Promise.reject(new Error('the disk is full'));

/** The store as another process would find it: leases of a dead owner run out at once. */
function abandoned(store: SettlementStore): SettlementStore {
  return withChanges(store, {
    record: (settlement, options) => store.record(settlement, { ...options, leaseMs: 0 }),
    takeOver: (options) => store.takeOver({ ...options, leaseMs: 0 }),
    close: async () => {},
  });
}

describe('a facilitator that starts again', () => {
  it('confirms what its predecessor submitted and did not see confirmed', async () => {
    const first = h.create({ store: abandoned(h.store), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    expect(await settle(first, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await first.close();
    h.chain.mine(3);
    const second = h.create({ store: abandoned(h.store) });
    await second.start();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(second, payment, KEY)).toMatchObject({ success: true, transaction: payment.txId });
  });

  it('finds it on a node that is some rounds behind another one, without waiting for it to catch up', async () => {
    const first = h.create({ store: abandoned(h.store), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    expect(await settle(first, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await first.close();
    h.chain.mine(5);
    const behind = new ModelNode(h.chain);
    behind.lag = 3n;
    const algods = [behind.client('http://behind.invalid'), h.node.client('http://ahead.invalid')];
    const second = h.create({ networks: [{ algods }], store: abandoned(h.store) });
    await second.start();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(h.chain.lastRound).toBe(15n);
  });

  it('finds it in a block that the node has only a moment after it has told its round', async () => {
    const first = h.create({ store: abandoned(h.store), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    expect(await settle(first, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await first.close();
    h.chain.mine(3);
    let missing = 1;
    h.node.fault = (method) =>
      method === 'blockTransactionIds' && missing-- > 0 ? refused(404, 'no block') : undefined;
    const second = h.create({ store: abandoned(h.store) });
    await second.start();
    await eventually(() => missing === 0);
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  });

  it('submits what its predecessor only recorded', async () => {
    const store = abandoned(h.store);
    const first = h.create({ store: withStep(store, 'submitted', () => new Promise(() => {})), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    await settle(first, payment, KEY);
    expect(await h.store.find(payment.txId)).toMatchObject({ state: 'recorded' });
    await first.close();
    const second = h.create({ store });
    const answer = settle(second, payment, KEY);
    await eventually(() => h.chain.pool.size === 1);
    h.chain.mine();
    expect(await answer).toMatchObject({ success: true });
  });

  it('finds that what its predecessor only recorded was brought to the chain by somebody else', async () => {
    const store = abandoned(h.store);
    const first = h.create({ store: withStep(store, 'submitted', () => new Promise(() => {})), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    await settle(first, payment, KEY);
    await first.close();
    h.chain.submit(payment.bytes);
    h.chain.mine();
    const second = h.create({ store });
    await second.start();
    await eventually(async () => (await h.store.find(payment.txId)) === undefined);
    expect(await settle(second, payment, KEY)).toMatchObject({ errorReason: 'payment_already_on_chain' });
  });

  it('counts a payment whose submission it knows nothing about if it came after the row', async () => {
    const first = h.create({ store: abandoned(h.store), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    h.node.fault = (method) => (method === 'sendRawTransaction' ? 'lost after' : undefined);
    await settle(first, payment, KEY);
    await first.close();
    h.node.fault = () => undefined;
    h.chain.mine();
    const second = h.create({ store: abandoned(h.store) });
    expect(await settle(second, payment, KEY)).toMatchObject({ success: true });
  });

  it('goes on watching what was rejected', async () => {
    const first = h.create({ store: abandoned(h.store), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    await first.verify(payment.payload, payment.requirements);
    h.chain.broke.add(payment.payer.address);
    expect(await settle(first, payment, KEY)).toMatchObject({ extra: { state: 'rejected' } });
    await first.close();
    h.chain.broke.clear();
    h.chain.submit(payment.bytes);
    h.chain.mine(2);
    const second = h.create({ store: abandoned(h.store) });
    await second.start();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  });

  it('does not take a confirmed payment for refused when its window is over', async () => {
    const first = h.create({ store: abandoned(h.store), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain, { rounds: 20n });
    await settle(first, payment, KEY);
    await first.close();
    h.chain.mine(100);
    const states: string[] = [];
    const watched = withStep(abandoned(h.store), 'rejected', (...parameters) => {
      states.push('rejected');
      return h.store.change(...parameters);
    });
    // The refusal of the second submission is there long before the block that has the first one.
    h.node.hold = (method) =>
      method === 'blockTransactionIds' ? new Promise((resolve) => setTimeout(resolve, 50)) : undefined;
    const second = h.create({ store: watched });
    await second.start();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(h.calls('sendRawTransaction')).toBe(2);
    expect(states).toEqual([]);
  });

  it('leaves alone what a living replica works on', async () => {
    const first = h.create({ settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    await settle(first, payment, KEY);
    const second = h.create({ settleTimeoutMs: 50 });
    await second.start();
    expect(h.calls('sendRawTransaction')).toBe(1);
    const answer = settle(second, payment, KEY);
    h.chain.mine();
    expect(await answer).toMatchObject({ success: true });
    expect(h.calls('sendRawTransaction')).toBe(1);
  });

  it('does not let a replica that lost its row change it', async () => {
    const sleepy = withStep(abandoned(h.store), 'submitted', async (...parameters) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return h.store.change(...parameters);
    });
    const first = h.create({ store: sleepy, settleTimeoutMs: 2_000 });
    const payment = modelPayment(h.chain);
    const answer = settle(first, payment, KEY);
    await eventually(async () => (await h.store.find(payment.txId)) !== undefined);
    const second = h.create({ store: h.store });
    await second.start();
    await eventually(() => h.chain.pool.size === 1);
    h.chain.mine();
    expect(await answer).toMatchObject({ success: true });
    expect(h.calls('sendRawTransaction')).toBe(1);
  });

  it('does not say of a row that another replica took over that the payment was not ours', async () => {
    const outcomes: string[] = [];
    const log: Log = {
      ...silentLog,
      info: ({ outcome }: { outcome?: string }) => void (outcome && outcomes.push(outcome)),
    };
    const payment = modelPayment(h.chain);
    const store = withStep(abandoned(h.store), 'released', async (...parameters) => {
      await h.store.takeOver({ owner: 'another', leaseMs: 60_000, networks: [payment.requirements.network] });
      return h.store.change(...parameters);
    });
    h.chain.submit(payment.bytes);
    const facilitator = h.create({ store, log, settleTimeoutMs: 50 });
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await eventually(() => outcomes.join() === 'lost_to_replica');
  });
});

describe('a store that fails', () => {
  it.each(['find', 'record'] as const)(
    'in %s leads to trouble of our own, and nothing is submitted',
    async (method) => {
      const facilitator = h.create({ store: withChanges(h.store, { [method]: broken }) });
      await expect(settle(facilitator, modelPayment(h.chain), KEY)).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      expect(h.calls('sendRawTransaction')).toBe(0);
    },
  );

  it('in submit leaves the row to be taken up later; until then nothing is submitted', async () => {
    const store = abandoned(h.store);
    const first = h.create({ store: withStep(store, 'submitted', broken), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    expect(await settle(first, payment, KEY)).toMatchObject({ extra: { state: 'recorded' } });
    expect(h.calls('sendRawTransaction')).toBe(0);
    await first.close();
    h.chain.instant = true;
    expect(await settle(h.create({ store }), payment, KEY)).toMatchObject({ success: true });
  });

  it('in deliver hands out nothing', async () => {
    h.chain.instant = true;
    const facilitator = h.create({ store: withChanges(h.store, { deliver: broken }) });
    await expect(settle(facilitator, modelPayment(h.chain))).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('when a payment is confirmed loses nothing: the next facilitator finds it', async () => {
    h.chain.instant = true;
    const store = abandoned(h.store);
    const first = h.create({ store: withStep(store, 'confirmed', broken), settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    expect(await settle(first, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await first.close();
    const second = h.create({ store });
    expect(await settle(second, payment, KEY)).toMatchObject({ success: true });
  });

  it('for a moment loses nothing: the same facilitator takes the row up again', async () => {
    h.chain.instant = true;
    let failures = 1;
    const store = withStep(h.store, 'confirmed', (...parameters) =>
      failures-- > 0 ? broken() : h.store.change(...parameters),
    );
    const facilitator = h.create({ store, settleTimeoutMs: 3_000, leaseMs: 60 });
    expect(await settle(facilitator, modelPayment(h.chain), KEY)).toMatchObject({ success: true });
    expect(failures).toBe(-1);
  });

  it('in record after it has written the row loses nothing either', async () => {
    h.chain.instant = true;
    const store = withChanges(h.store, {
      async record(...parameters) {
        await h.store.record(...parameters);
        return broken();
      },
    });
    const facilitator = h.create({ store, leaseMs: 60 });
    const payment = modelPayment(h.chain);
    await expect(settle(facilitator, payment, KEY)).rejects.toMatchObject({ code: 'store_unavailable' });
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
  });

  it('in record, and writes the row only later, does not keep its payment from being settled', async () => {
    h.chain.instant = true;
    let write = async (): Promise<unknown> => undefined;
    let takings = 0;
    const store = withChanges(h.store, {
      record: (...parameters) => {
        write = () => h.store.record(...parameters);
        return broken();
      },
      takeOver: (options) => (takings++, h.store.takeOver(options)),
    });
    const facilitator = h.create({ store, leaseMs: 60, settleTimeoutMs: 3_000 });
    const payment = modelPayment(h.chain);
    await expect(settle(facilitator, payment, KEY)).rejects.toMatchObject({ code: 'store_unavailable' });
    const before = takings;
    await eventually(() => takings > before + 1);
    await write();
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
  });

  it('in a step, and makes it only later, does not leave the row to nobody', async () => {
    h.chain.instant = true;
    let tries = 0;
    const store = withStep(h.store, 'submitted', async (...parameters) => {
      if (++tries === 1) return broken();
      // What was said to have failed is written just before the second try.
      if (tries === 2) await h.store.change(...parameters);
      return h.store.change(...parameters);
    });
    const facilitator = h.create({ store, leaseMs: 60, settleTimeoutMs: 10 });
    const payment = modelPayment(h.chain);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed', 3_000);
  });

  it('in takeOver after it has taken a row over loses nothing either', async () => {
    const payment = modelPayment(h.chain);
    const first = h.create({ store: abandoned(h.store), settleTimeoutMs: 50 });
    await settle(first, payment, KEY);
    await first.close();
    let failures = 2;
    const store = withChanges(h.store, {
      async takeOver(options) {
        const taken = await h.store.takeOver(options);
        return failures-- > 0 ? broken() : taken;
      },
    });
    const second = h.create({ store, leaseMs: 60 });
    await expect(second.start()).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(second.start()).rejects.toMatchObject({ code: 'store_unavailable' });
    await second.start();
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  });
});
