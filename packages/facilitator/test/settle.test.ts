import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFacilitator, type Facilitator, type FacilitatorOptions, memorySettlementStore } from '../src/index.ts';
import { eventually } from './eventually.ts';
import { ModelChain, ModelNode } from './model-chain.ts';
import { forgedCopy, type ModelPayment, modelPayment } from './model-payment.ts';

const KEY = 'k'.repeat(32);
const OTHER_KEY = 'o'.repeat(32);

let chain: ModelChain;
let node: ModelNode;
let store = memorySettlementStore();
const running: Facilitator[] = [];

beforeEach(() => {
  chain = new ModelChain();
  chain.mine(10);
  node = new ModelNode(chain);
  store = memorySettlementStore();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((facilitator) => facilitator.close()));
});

function create(options: Partial<FacilitatorOptions> = {}): Facilitator {
  const facilitator = createFacilitator({
    networks: [{ algods: [node.client()] }],
    store,
    settleTimeoutMs: 300,
    ...options,
  });
  running.push(facilitator);
  return facilitator;
}

function settle(facilitator: Facilitator, payment: ModelPayment, idempotencyKey?: string) {
  const options = idempotencyKey === undefined ? {} : { idempotencyKey };
  return facilitator.settle(payment.payload, payment.requirements, options);
}

describe('settling', () => {
  it('confirms a payment with one submission and two questions a round', async () => {
    const facilitator = create();
    await facilitator.start();
    const payment = modelPayment(chain);
    const before = { ...node.calls };
    expect(await settle(facilitator, payment, KEY)).toEqual({
      success: true,
      payer: payment.payer.address,
      transaction: payment.txId,
      network: payment.requirements.network,
    });
    expect(chain.roundOf(payment.txId)).toBe(11n);
    expect(node.calls['sendRawTransaction']).toBe(1);
    expect(node.calls['simulate']).toBe(1);
    expect(node.calls['blockTransactionIds']).toBe(1);
    expect((node.calls['status'] ?? 0) - (before['status'] ?? 0)).toBe(0);
  });

  it('needs no simulation of its own after verify', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    expect(await facilitator.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(node.calls['simulate']).toBe(1);
  });

  it('answers in the spelling of the requirements', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    const network = `algorand:${chain.genesis.genesisHash}` as const;
    const requirements = { ...payment.requirements, network };
    expect(await facilitator.settle(payment.payload, requirements)).toMatchObject({ success: true, network });
  });

  it('watches the blocks for many payments with two questions a round', async () => {
    chain.instant = false;
    const facilitator = create({ settleTimeoutMs: 5_000 });
    await facilitator.start();
    const payments = Array.from({ length: 50 }, () => modelPayment(chain));
    const settled = Promise.all(payments.map((payment) => settle(facilitator, payment, KEY)));
    await eventually(() => chain.pool.size === 50);
    const before = { ...node.calls };
    chain.mine();
    expect((await settled).every(({ success }) => success)).toBe(true);
    expect((node.calls['blockTransactionIds'] ?? 0) - (before['blockTransactionIds'] ?? 0)).toBe(1);
    expect((node.calls['waitForBlockAfter'] ?? 0) - (before['waitForBlockAfter'] ?? 0)).toBeLessThanOrEqual(2);
    expect(node.calls['sendRawTransaction']).toBe(50);
  });

  it('writes nothing about a payment that it refuses', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    chain.broke.add(payment.payer.address);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_insufficient_balance',
      transaction: '',
      network: payment.requirements.network,
    });
    expect(await store.find(payment.txId)).toBeUndefined();
    expect(node.calls['sendRawTransaction']).toBeUndefined();
  });

  it('refuses what is no payment with the string members that peers need', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    const answer = await facilitator.settle({ ...payment.payload, payload: {} }, payment.requirements);
    expect(answer).toMatchObject({ success: false, errorReason: 'invalid_exact_avm_payload', transaction: '' });
    const nothing = await facilitator.settle({} as never, {} as never);
    expect(nothing).toMatchObject({ success: false, errorReason: 'invalid_payment_requirements' });
    expect(nothing).toMatchObject({ transaction: '', network: '' });
  });
});

describe('a repeated settle', () => {
  it('with the same key gets the recorded answer, as often as it asks, without a second submission', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    const first = await settle(facilitator, payment, KEY);
    for (let repetition = 0; repetition < 3; repetition++) {
      expect(await settle(facilitator, payment, KEY)).toEqual(first);
    }
    expect(node.calls['sendRawTransaction']).toBe(1);
  });

  it.each([
    ['another key', KEY, OTHER_KEY],
    ['no key, where there was one', KEY, undefined],
    ['a key, where there was none', undefined, KEY],
  ])('with %s is a duplicate', async (_, first, second) => {
    const facilitator = create();
    const payment = modelPayment(chain);
    expect(await settle(facilitator, payment, first)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment, second)).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: payment.txId,
    });
  });

  it('without a key gets the success once', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    expect(await settle(facilitator, payment)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment)).toMatchObject({ success: false, errorReason: 'duplicate_settlement' });
  });

  it('for other requirements is refused', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    await settle(facilitator, payment, KEY);
    const requirements = { ...payment.requirements, extra: { feePayer: payment.payer.address } };
    expect(await facilitator.settle(payment.payload, requirements, { idempotencyKey: KEY })).toMatchObject({
      success: false,
      errorReason: 'requirements_changed',
      transaction: payment.txId,
    });
  });

  it('of a copy that names another authorizer does not collect the answer', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    chain.instant = false;
    const pending = await settle(facilitator, payment);
    expect(pending).toMatchObject({ errorReason: 'settlement_pending' });
    chain.mine();
    const copy = forgedCopy(payment);
    expect(await settle(facilitator, copy)).toMatchObject({ errorReason: 'invalid_exact_avm_signer_mismatch' });
    expect(await settle(facilitator, payment)).toMatchObject({ success: true });
  });

  it.each(['short', 'x'.repeat(256), 'with a line\nbreak and more', 'ümlaut in a key of 20'])(
    'with the malformed key %j is refused',
    async (key) => {
      const facilitator = create();
      expect(await settle(facilitator, modelPayment(chain), key)).toMatchObject({
        success: false,
        errorReason: 'idempotency_key_malformed',
      });
    },
  );

  it('keeps no key, only its hash', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    await settle(facilitator, payment, KEY);
    expect(await store.find(payment.txId)).toMatchObject({ keyHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

describe('a hundred settles of one payment at once', () => {
  it('with one key all get the one success', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    const answers = await Promise.all(Array.from({ length: 100 }, () => settle(facilitator, payment, KEY)));
    expect(answers.every(({ success }) => success)).toBe(true);
    expect(node.calls['sendRawTransaction']).toBe(1);
    expect(node.calls['simulate']).toBe(1);
  });

  it('without a key get one success and ninety-nine duplicates', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    const answers = await Promise.all(Array.from({ length: 100 }, () => settle(facilitator, payment)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ errorReason }) => errorReason === 'duplicate_settlement')).toHaveLength(99);
    expect(node.calls['sendRawTransaction']).toBe(1);
  });

  it('with different keys get one success', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    const keys = Array.from({ length: 100 }, (_, index) => `key number ${index} of a hundred`);
    const answers = await Promise.all(keys.map((key) => settle(facilitator, payment, key)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ errorReason }) => errorReason === 'duplicate_settlement')).toHaveLength(99);
  });
});

describe('a payment that somebody else brought to the chain', () => {
  it('is refused when it is in a block', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    chain.submit(payment.bytes);
    expect(await facilitator.verify(payment.payload, payment.requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'payment_already_on_chain',
    });
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      success: false,
      errorReason: 'payment_already_on_chain',
    });
  });

  it('is refused while it is in the pool, and afterwards', async () => {
    chain.instant = false;
    const facilitator = create();
    const payment = modelPayment(chain);
    chain.submit(payment.bytes);
    expect(await facilitator.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'payment_already_on_chain' });
    chain.mine();
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'payment_already_on_chain' });
    expect(await store.find(payment.txId)).toBeUndefined();
  });

  it('is refused when it got there between verify and settle', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    await facilitator.verify(payment.payload, payment.requirements);
    chain.submit(payment.bytes);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      errorReason: 'payment_already_on_chain',
      transaction: payment.txId,
    });
    expect(node.calls['simulate']).toBe(1);
  });

  it('is refused even when our own submission is lost on the way', async () => {
    const facilitator = create();
    const payment = modelPayment(chain);
    await facilitator.verify(payment.payload, payment.requirements);
    chain.submit(payment.bytes);
    await eventually(async () => (await facilitator.health())[0]?.round === Number(chain.lastRound));
    node.fault = (method) => (method === 'sendRawTransaction' ? 'lost before' : undefined);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => (node.calls['sendRawTransaction'] ?? 0) > 0);
    node.fault = () => undefined;
    chain.mine(120);
    expect((await answer).success).toBe(false);
    await eventually(async () => (await store.find(payment.txId))?.state !== 'submitted');
    expect((await store.find(payment.txId))?.state).not.toBe('confirmed');
  });
});

describe('a lost answer', () => {
  it('after the node took the group does not lose the payment', async () => {
    const facilitator = create({ settleTimeoutMs: 5_000 });
    const payment = modelPayment(chain);
    let lost = 0;
    node.fault = (method) => (method === 'sendRawTransaction' && lost++ === 0 ? 'lost after' : undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true, transaction: payment.txId });
    expect(lost).toBeGreaterThan(0);
  });

  it('before the node took the group is made good by submitting again', async () => {
    const facilitator = create({ settleTimeoutMs: 5_000 });
    const payment = modelPayment(chain);
    let lost = 0;
    node.fault = (method) => (method === 'sendRawTransaction' && lost++ === 0 ? 'lost before' : undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(node.calls['sendRawTransaction']).toBe(2);
  });

  it('goes to the next node of the network', async () => {
    const second = new ModelNode(chain);
    const facilitator = create({ networks: [{ algods: [node.client(), second.client('http://second.invalid')] }] });
    const payment = modelPayment(chain);
    node.fault = (method) => (method === 'sendRawTransaction' ? 'lost before' : undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(second.calls['sendRawTransaction']).toBe(1);
  });
});

describe('an outcome that is not known in time', () => {
  it('is answered as pending, with what is needed to ask again', async () => {
    chain.instant = false;
    const facilitator = create();
    const payment = modelPayment(chain);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: payment.txId,
      payer: payment.payer.address,
      extra: { state: 'submitted', lastValid: Number(payment.lastValid) },
    });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'submitted', final: false });
    chain.mine();
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({
      state: 'confirmed',
      final: true,
      confirmedRound: 11,
    });
  });

  it('can be collected once by a caller without a key', async () => {
    chain.instant = false;
    const facilitator = create();
    const payment = modelPayment(chain);
    expect(await settle(facilitator, payment)).toMatchObject({ errorReason: 'settlement_pending' });
    chain.mine();
    expect(await settle(facilitator, payment)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment)).toMatchObject({ errorReason: 'duplicate_settlement' });
  });

  it('is told apart from an unknown payment, without asking a node', async () => {
    const facilitator = create();
    await facilitator.start();
    const before = { ...node.calls };
    expect(await facilitator.settlement('A'.repeat(52))).toBeUndefined();
    expect(node.calls).toEqual(before);
  });

  it('is what waiting callers are told when the facilitator stops', async () => {
    chain.instant = false;
    const facilitator = create({ settleTimeoutMs: 60_000 });
    const payment = modelPayment(chain);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => chain.pool.size === 1);
    facilitator.stopWaiting();
    expect(await answer).toMatchObject({ errorReason: 'settlement_pending', transaction: payment.txId });
  });
});

describe('a payment that the node refuses', () => {
  async function rejected(facilitator: Facilitator): Promise<ModelPayment> {
    const payment = modelPayment(chain);
    await facilitator.verify(payment.payload, payment.requirements);
    chain.broke.add(payment.payer.address);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_insufficient_balance',
      transaction: payment.txId,
      extra: { state: 'rejected', lastValid: Number(payment.lastValid) },
    });
    return payment;
  }

  it('is answered as such, and the answer is kept', async () => {
    const facilitator = create();
    const payment = await rejected(facilitator);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      errorReason: 'invalid_exact_avm_insufficient_balance',
      transaction: payment.txId,
    });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'rejected', final: false });
    expect(node.calls['sendRawTransaction']).toBe(1);
  });

  it('expires when the blocks of its window lack it', async () => {
    const facilitator = create();
    const payment = await rejected(facilitator);
    chain.mine(101);
    await eventually(async () => (await store.find(payment.txId))?.state === 'expired');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_expired' });
    expect(await facilitator.settlement(payment.txId)).toMatchObject({ state: 'expired', final: true });
  });

  it('is collected by the same key if it gets in after all', async () => {
    const facilitator = create();
    const payment = await rejected(facilitator);
    chain.broke.clear();
    chain.submit(payment.bytes);
    await eventually(async () => (await store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment, OTHER_KEY)).toMatchObject({ errorReason: 'duplicate_settlement' });
  });
});
