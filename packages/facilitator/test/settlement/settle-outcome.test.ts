import { deferred } from '@avm402/core/deferred';
import { describe, expect, it } from 'vitest';
import type { Facilitator } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { silentLog } from '../../src/log/log.ts';
import { Harness, KEY, OTHER_KEY, settle } from '../harness.ts';
import { ModelNode, refused } from '../model-chain.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';

const h = new Harness();

describe('an outcome that is not known in time', () => {
  it('is answered as pending, with what is needed to ask again', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: payment.txId,
      payer: payment.payer.address,
      extra: { state: 'submitted', lastValid: Number(payment.lastValid) },
    });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'submitted', final: false });
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({
      state: 'confirmed',
      final: true,
      confirmedRound: 11,
    });
  });

  it('can be collected once by a caller without a key', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    expect(await settle(facilitator, payment)).toMatchObject({ errorReason: 'settlement_pending' });
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(facilitator, payment)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment)).toMatchObject({ errorReason: 'duplicate_settlement' });
  });

  it('is told apart from an unknown payment, without asking a node', async () => {
    const facilitator = h.create();
    await facilitator.start();
    const before = { ...h.node.calls };
    expect(await facilitator.settlement('A'.repeat(52))).toBeUndefined();
    expect(h.node.calls).toEqual(before);
  });

  it('is nothing on record for a look-up that waits, once somebody else is found to have put the payment on chain', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 5_000 });
    const payment = modelPayment(h.chain);
    const answered = deferred<void>();
    h.node.hold = (method) => (method === 'sendRawTransaction' ? answered.promise : undefined);
    h.chain.submit(payment.bytes);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('sendRawTransaction') === 1);
    const found = facilitator.settlement(payment.txId, { waitMs: 5_000 });
    answered.resolve();
    expect(await answer).toMatchObject({ errorReason: 'payment_already_on_chain' });
    expect(await found).toBeUndefined();
  });

  it('is what waiting callers are told when the facilitator stops', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 60_000 });
    const payment = modelPayment(h.chain);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.chain.pool.size === 1);
    facilitator.stopWaiting();
    expect(await answer).toMatchObject({ errorReason: 'settlement_pending', transaction: payment.txId });
    const late = modelPayment(h.chain);
    expect(await settle(facilitator, late, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
  });
});

describe('a payment that the node refuses', () => {
  async function rejected(facilitator: Facilitator): Promise<ModelPayment> {
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.chain.broke.add(payment.payer.address);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_insufficient_balance',
      transaction: payment.txId,
      extra: { state: 'rejected', lastValid: Number(payment.lastValid) },
    });
    return payment;
  }

  it('is answered as such, and the answer is kept', async () => {
    const facilitator = h.create();
    const payment = await rejected(facilitator);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      errorReason: 'invalid_exact_avm_insufficient_balance',
      transaction: payment.txId,
    });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'rejected', final: false });
    expect(h.node.calls['sendRawTransaction']).toBe(1);
  });

  it('expires when the blocks of its window lack it', async () => {
    const facilitator = h.create();
    const payment = await rejected(facilitator);
    h.chain.mine(101);
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'expired');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_expired' });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'expired', final: true });
  });

  it('is collected by the same key if it gets in after all', async () => {
    const facilitator = h.create();
    const payment = await rejected(facilitator);
    h.chain.broke.clear();
    h.chain.submit(payment.bytes);
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment, OTHER_KEY)).toMatchObject({ errorReason: 'duplicate_settlement' });
  });
});

describe('a load balancer that has lost its node', () => {
  it.each(['it is connected to', 'it must be connected to first'])(
    'does not keep a payment from another node, when %s',
    async (when) => {
      const second = new ModelNode(h.chain);
      const algods = [h.node.client(), second.client('http://second.invalid')];
      const facilitator = h.create({ networks: [{ algods }] });
      const lose = (): void => void (h.node.fault = () => refused(404, 'default backend - 404'));
      if (when === 'it is connected to') await facilitator.start();
      lose();
      const payment = modelPayment(h.chain);
      expect(await facilitator.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
      expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    },
  );

  it('gets the payment as soon as it has a node again', async () => {
    const errors: string[] = [];
    const log = { ...silentLog, error: (_: object, message: string) => void errors.push(message) };
    const facilitator = h.create({ settleTimeoutMs: 3_000, log });
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.node.fault = () => refused(404, 'default backend - 404');
    const connected = h.calls('params');
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('params') > connected + 1);
    h.node.fault = () => undefined;
    expect(await answer).toMatchObject({ success: true });
    expect(errors).toEqual([]);
  });
});

describe('a node that takes no transaction at the moment', () => {
  const FULL = 'TransactionPool.checkPendingQueueSize: transaction pool has reached capacity';
  const takesNone = (text: string) => (method: string) =>
    method === 'sendRawTransaction' ? refused(400, text) : undefined;

  it.each([
    FULL,
    FULL.replace('has', 'have'),
    'TransactionPool.ingest: no pending block evaluator',
    'cannot broadcast txns in follower mode',
    'TransactionPool.Remember: transaction pool is shutting down',
    'TransactionPool.Remember: fee 0 below threshold 289 (1 per byte * 289 bytes)',
  ])('leaves the payment to another one: %s', async (text) => {
    const second = new ModelNode(h.chain);
    const algods = [h.node.client(), second.client('http://second.invalid')];
    const facilitator = h.create({ networks: [{ algods }] });
    h.node.fault = takesNone(text);
    expect(await settle(facilitator, modelPayment(h.chain), KEY)).toMatchObject({ success: true });
    expect([h.calls('sendRawTransaction'), second.calls['sendRawTransaction']]).toEqual([1, 1]);
  });

  it('refuses nothing, and gets the payment again until it takes it', async () => {
    const facilitator = h.create({ settleTimeoutMs: 2_000 });
    const payment = modelPayment(h.chain);
    h.node.fault = takesNone(FULL);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('sendRawTransaction') > 1);
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'submitted' });
    h.node.fault = () => undefined;
    expect(await answer).toMatchObject({ success: true });
  });

  it('has not got the payment from us: where it is there already next time, somebody else brought it', async () => {
    const facilitator = h.create({ settleTimeoutMs: 2_000 });
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.node.fault = takesNone(FULL);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('sendRawTransaction') > 0);
    h.chain.submit(payment.bytes);
    h.node.fault = () => undefined;
    await expect(answer).resolves.toMatchObject({ errorReason: 'payment_already_on_chain' });
  });
});

describe('a node that takes a payment and can’t pass it on', () => {
  /** algod has put the payment into its pool when its network takes no more, and answers 400 all the same. */
  const cannotPassOn = (payment: ModelPayment) => (method: string) => {
    if (method !== 'sendRawTransaction' || h.chain.pool.has(payment.txId)) return undefined;
    h.chain.submit(payment.bytes);
    return refused(400, 'broadcast queue full');
  };

  it('has it from us, though it says that it is there already when it is asked again', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 2_000 });
    const payment = modelPayment(h.chain);
    h.node.fault = cannotPassOn(payment);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('sendRawTransaction') === 2);
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'submitted' });
    h.chain.mine();
    expect(await answer).toMatchObject({ success: true });
  });

  it('leaves it to another one to do so', async () => {
    h.chain.instant = false;
    const second = new ModelNode(h.chain);
    const algods = [h.node.client(), second.client('http://second.invalid')];
    const facilitator = h.create({ networks: [{ algods }], settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    h.node.fault = cannotPassOn(payment);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    expect(second.calls['sendRawTransaction']).toBe(1);
    h.chain.mine();
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
  });
});
