import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { Harness, KEY, OTHER_KEY, settle } from '../harness.ts';
import { ModelNode } from '../model-chain.ts';
import { forgedCopy, type ModelPayment, modelPayment } from '../model-payment.ts';

const h = new Harness();

describe('settling', () => {
  it('confirms a payment with one submission and two questions a round', async () => {
    const facilitator = h.create();
    await facilitator.start();
    const payment = modelPayment(h.chain);
    const before = { ...h.node.calls };
    expect(await settle(facilitator, payment, KEY)).toEqual({
      success: true,
      payer: payment.payer.address,
      transaction: payment.txId,
      network: payment.requirements.network,
      extra: { confirmedRound: '11' },
    });
    expect(h.chain.roundOf(payment.txId)).toBe(11n);
    expect(h.node.calls['sendRawTransaction']).toBe(1);
    expect(h.node.calls['simulate']).toBe(1);
    expect(h.node.calls['blockTransactionIds']).toBe(1);
    expect(h.calls('status') - (before['status'] ?? 0)).toBe(0);
  });

  it('needs no simulation of its own after verify', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    expect(await facilitator.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(h.node.calls['simulate']).toBe(1);
  });

  it('answers in the spelling of the requirements', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    const network = `algorand:${h.chain.genesis.genesisHash}` as const;
    const requirements = { ...payment.requirements, network };
    expect(await facilitator.settle(payment.payload, requirements)).toMatchObject({ success: true, network });
  });

  it('watches the blocks for many payments with two questions a round', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 5_000 });
    await facilitator.start();
    const payments = Array.from({ length: 50 }, () => modelPayment(h.chain));
    const settled = Promise.all(payments.map((payment) => settle(facilitator, payment, KEY)));
    await eventually(() => h.chain.pool.size === 50);
    const before = { ...h.node.calls };
    h.chain.mine();
    expect((await settled).every(({ success }) => success)).toBe(true);
    expect(h.calls('blockTransactionIds') - (before['blockTransactionIds'] ?? 0)).toBe(1);
    expect(h.calls('waitForBlockAfter') - (before['waitForBlockAfter'] ?? 0)).toBeLessThanOrEqual(2);
    expect(h.node.calls['sendRawTransaction']).toBe(50);
  });

  it('writes nothing about a payment that it refuses', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    h.chain.broke.add(payment.payer.address);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_insufficient_balance',
      transaction: '',
      network: payment.requirements.network,
    });
    expect(await h.store.find(payment.txId)).toBeUndefined();
    expect(h.node.calls['sendRawTransaction']).toBeUndefined();
  });

  it('refuses what is no payment with the string members that peers need', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    const answer = await facilitator.settle({ ...payment.payload, payload: {} }, payment.requirements);
    expect(answer).toMatchObject({ success: false, errorReason: 'invalid_exact_avm_payload', transaction: '' });
    const nothing = await facilitator.settle({} as never, {} as never);
    expect(nothing).toMatchObject({ success: false, errorReason: 'invalid_payment_requirements' });
    expect(nothing).toMatchObject({ transaction: '', network: '' });
  });
});

describe('a repeated settle', () => {
  it('with the same key gets the recorded answer, as often as it asks, without a second submission', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    const first = await settle(facilitator, payment, KEY);
    for (let repetition = 0; repetition < 3; repetition++) {
      expect(await settle(facilitator, payment, KEY)).toEqual(first);
    }
    expect(h.node.calls['sendRawTransaction']).toBe(1);
  });

  it.each([
    ['another key', KEY, OTHER_KEY],
    ['no key, where there was one', KEY, undefined],
    ['a key, where there was none', undefined, KEY],
  ])('with %s is a duplicate', async (_, first, second) => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    expect(await settle(facilitator, payment, first)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment, second)).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: payment.txId,
    });
  });

  it('without a key gets the success once', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    expect(await settle(facilitator, payment)).toMatchObject({ success: true });
    expect(await settle(facilitator, payment)).toMatchObject({ success: false, errorReason: 'duplicate_settlement' });
  });

  it('for other requirements is refused', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    await settle(facilitator, payment, KEY);
    const requirements = { ...payment.requirements, extra: { feePayer: payment.payer.address } };
    expect(await facilitator.settle(payment.payload, requirements, { idempotencyKey: KEY })).toMatchObject({
      success: false,
      errorReason: 'requirements_changed',
      transaction: payment.txId,
    });
  });

  it('of a copy that names another authorizer does not collect the answer', async () => {
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    h.chain.instant = false;
    const pending = await settle(facilitator, payment);
    expect(pending).toMatchObject({ errorReason: 'settlement_pending' });
    h.chain.mine();
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    const copy = forgedCopy(payment);
    expect(await settle(facilitator, copy)).toMatchObject({ errorReason: 'invalid_exact_avm_signer_mismatch' });
    expect(await settle(facilitator, payment)).toMatchObject({ success: true });
  });

  it.each(['short', 'x'.repeat(256), 'with a line\nbreak and more', 'ümlaut in a key of 20'])(
    'with the malformed key %j is refused',
    async (key) => {
      const facilitator = h.create();
      expect(await settle(facilitator, modelPayment(h.chain), key)).toMatchObject({
        success: false,
        errorReason: 'idempotency_key_malformed',
      });
    },
  );

  it('keeps no key, only its hash', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    await settle(facilitator, payment, KEY);
    expect(await h.store.find(payment.txId)).toMatchObject({ keyHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

describe('a hundred settles of one payment at once', () => {
  it('with one key all get the one success', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    const answers = await Promise.all(Array.from({ length: 100 }, () => settle(facilitator, payment, KEY)));
    expect(answers.every(({ success }) => success)).toBe(true);
    expect(h.node.calls['sendRawTransaction']).toBe(1);
    expect(h.node.calls['simulate']).toBe(1);
  });

  it('without a key get one success and ninety-nine duplicates', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    const answers = await Promise.all(Array.from({ length: 100 }, () => settle(facilitator, payment)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ errorReason }) => errorReason === 'duplicate_settlement')).toHaveLength(99);
    expect(h.node.calls['sendRawTransaction']).toBe(1);
  });

  it('with different keys get one success', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    const keys = Array.from({ length: 100 }, (_, index) => `key number ${index} of a hundred`);
    const answers = await Promise.all(keys.map((key) => settle(facilitator, payment, key)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ errorReason }) => errorReason === 'duplicate_settlement')).toHaveLength(99);
  });
});

describe('a payment that somebody else brought to the chain', () => {
  it('is refused when it is in a block', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    h.chain.submit(payment.bytes);
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
    h.chain.instant = false;
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    h.chain.submit(payment.bytes);
    expect(await facilitator.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'payment_already_on_chain' });
    h.chain.mine();
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'payment_already_on_chain' });
    expect(await h.store.find(payment.txId)).toBeUndefined();
  });

  it('is refused although its block is seen before the node answers our own submission', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 3_000 });
    await facilitator.start();
    const payment = modelPayment(h.chain);
    h.chain.submit(payment.bytes);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    h.node.hold = (method) => (method === 'sendRawTransaction' ? held : undefined);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('sendRawTransaction') === 1);
    h.chain.mine();
    await eventually(() => h.calls('blockTransactionIds') === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    release();
    expect(await answer).toMatchObject({ success: false, errorReason: 'payment_already_on_chain' });
  });

  it('is refused when it got there between verify and settle', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.chain.submit(payment.bytes);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({
      errorReason: 'payment_already_on_chain',
      transaction: payment.txId,
    });
    expect(h.node.calls['simulate']).toBe(1);
  });

  it('is refused even when our own submission is lost on the way', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.chain.submit(payment.bytes);
    await eventually(async () => (await facilitator.readiness()).networks[0]?.round === Number(h.chain.lastRound));
    h.node.fault = (method) => (method === 'sendRawTransaction' ? 'lost before' : undefined);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => h.calls('sendRawTransaction') > 0);
    h.node.fault = () => undefined;
    h.chain.mine(120);
    expect((await answer).success).toBe(false);
    await eventually(async () => (await h.store.find(payment.txId))?.state !== 'submitted');
    expect((await h.store.find(payment.txId))?.state).not.toBe('confirmed');
  });

  it('is refused when it got there while no node took requests, so that we submitted nothing', async () => {
    let clock = Date.now();
    const facilitator = h.create({ now: () => clock, settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.node.isDown = true;
    h.chain.wake();
    await eventually(async () => (await facilitator.readiness()).networks[0]?.nodes.connected === 0);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
    expect(h.calls('sendRawTransaction')).toBe(0);
    h.chain.submit(payment.bytes);
    h.node.isDown = false;
    clock += 10_000;
    await eventually(async () => (await h.store.find(payment.txId)) === undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'payment_already_on_chain' });
  });
});

describe('a lost answer', () => {
  it('after the node took the group does not lose the payment', async () => {
    const facilitator = h.create({ settleTimeoutMs: 5_000 });
    const payment = modelPayment(h.chain);
    let lost = 0;
    h.node.fault = (method) => (method === 'sendRawTransaction' && lost++ === 0 ? 'lost after' : undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true, transaction: payment.txId });
    expect(lost).toBeGreaterThan(0);
  });

  it('before the node took the group is made good by submitting again', async () => {
    const facilitator = h.create({ settleTimeoutMs: 5_000 });
    const payment = modelPayment(h.chain);
    let lost = 0;
    h.node.fault = (method) => (method === 'sendRawTransaction' && lost++ === 0 ? 'lost before' : undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(h.node.calls['sendRawTransaction']).toBe(2);
  });

  it('goes to the next node of the network', async () => {
    const second = new ModelNode(h.chain);
    const facilitator = h.create({ networks: [{ algods: [h.node.client(), second.client('http://second.invalid')] }] });
    const payment = modelPayment(h.chain);
    h.node.fault = (method) => (method === 'sendRawTransaction' ? 'lost before' : undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
    expect(second.calls['sendRawTransaction']).toBe(1);
  });
});

it('verify refuses no payment for a limit while it is settled, and tells the reason of a refusal whatever the limit', async () => {
  h.chain.instant = false;
  const facilitator = h.create({ limits: { perPayer: 1 }, settleTimeoutMs: 50 });
  const verify = ({ payload, requirements }: ModelPayment) => facilitator.verify(payload, requirements);
  const payment = modelPayment(h.chain);
  expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
  expect(await verify(modelPayment(h.chain))).toMatchObject({ invalidReason: 'too_many_requests' });
  expect(await verify(payment)).toMatchObject({ isValid: true });
  h.chain.mine();
  await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
  expect(await verify(payment)).toMatchObject({ isValid: false, invalidReason: 'payment_already_on_chain' });
});
