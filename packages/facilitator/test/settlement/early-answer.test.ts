import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFacilitatorApp } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, OTHER_KEY, settle } from '../harness.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';

const h = new Harness({ instant: false });
const early = { idempotencyKey: KEY, respondAsync: true };

afterEach(() => void vi.useRealTimers());

describe('settle that may answer before the block', () => {
  it('answers that a node has taken the payment, then tells the outcome to the same key', async () => {
    const facilitator = h.create({ settleTimeoutMs: 5_000 });
    const payment = modelPayment(h.chain);
    expect(await facilitator.settle(payment.payload, payment.requirements, early)).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: payment.txId,
      payer: payment.payer.address,
      network: payment.requirements.network,
      extra: { accepted: true, lastRound: '10', lastValid: Number(payment.lastValid) },
    });
    expect(await facilitator.settle(payment.payload, payment.requirements, early)).toMatchObject({
      extra: { accepted: true },
    });
    const outcome = settle(facilitator, payment, KEY);
    h.chain.mine();
    expect(await outcome).toMatchObject({ success: true, extra: { confirmedRound: '11' } });
    expect(await facilitator.settle(payment.payload, payment.requirements, early)).toMatchObject({ success: true });
    expect(h.calls('sendRawTransaction')).toBe(1);
  });

  it('says nothing early if the answer of the pool is lost', async () => {
    h.node.fault = (method) => (method === 'sendRawTransaction' ? 'lost after' : undefined);
    const facilitator = h.create({ settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    const answer = await facilitator.settle(payment.payload, payment.requirements, early);
    expect(answer).toMatchObject({ errorReason: 'settlement_pending' });
    expect(answer.extra).not.toHaveProperty('accepted');
  });

  it('waits for the pool and the block together no longer than settle does', async () => {
    const facilitator = h.create({ settleTimeoutMs: 60_000 });
    await facilitator.start();
    h.node.fault = (method) => (method === 'sendRawTransaction' ? 'lost after' : undefined);
    const payment = modelPayment(h.chain);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let answer: unknown;
    void facilitator.settle(payment.payload, payment.requirements, early).then((told) => (answer = told));
    await vi.waitUntil(() => h.calls('sendRawTransaction') > 0, { interval: 1 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answer).toMatchObject({ errorReason: 'settlement_pending' });
  });

  it('says nothing early of a payment that the node refuses', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.chain.broke.add(payment.payer.address);
    const answer = await facilitator.settle(payment.payload, payment.requirements, early);
    expect(answer).toMatchObject({ errorReason: 'invalid_exact_avm_insufficient_balance' });
    expect(answer.extra).not.toHaveProperty('accepted');
  });

  it('says nothing early to another key, nor from a replica that does not know the pool', async () => {
    const facilitator = h.create();
    const replica = h.create({ settleTimeoutMs: 50 });
    const payment = modelPayment(h.chain);
    await facilitator.settle(payment.payload, payment.requirements, early);
    const { payload, requirements } = payment;
    expect(await facilitator.settle(payload, requirements, { ...early, idempotencyKey: OTHER_KEY })).toMatchObject({
      errorReason: 'duplicate_settlement',
    });
    const elsewhere = await replica.settle(payload, requirements, early);
    expect(elsewhere).toMatchObject({ errorReason: 'settlement_pending' });
    expect(elsewhere.extra).not.toHaveProperty('accepted');
  });

  it('is asked for over HTTP by Prefer: respond-async, and only then', async () => {
    const facilitator = h.create();
    await using app = createFacilitatorApp(facilitator);
    const ask = (payment: ModelPayment, headers: Record<string, string>) => {
      const payload = { paymentPayload: payment.payload, paymentRequirements: payment.requirements };
      return app.inject({ method: 'POST', url: '/settle', payload, headers: { 'idempotency-key': KEY, ...headers } });
    };
    const answer = await ask(modelPayment(h.chain), { prefer: 'handling=lenient, Respond-Async; foo=1' });
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([200, 'respond-async']);
    expect(answer.json()).toMatchObject({ success: false, extra: { accepted: true } });
    const waiting = ask(modelPayment(h.chain), { prefer: 'wait=10' });
    await eventually(() => h.chain.pool.size === 2);
    h.chain.mine();
    const waited = await waiting;
    expect(waited.headers).not.toHaveProperty('preference-applied');
    expect(waited.json()).toMatchObject({ success: true });
  });
});

describe('a look-up of a settlement', () => {
  it('answers at once, or with Prefer: wait when there is an outcome', async () => {
    const facilitator = h.create();
    await using app = createFacilitatorApp(facilitator);
    const payment = modelPayment(h.chain);
    await facilitator.settle(payment.payload, payment.requirements, early);
    const look = async (prefer?: string) =>
      (await app.inject({ url: `/settlements/${payment.txId}`, headers: { ...(prefer && { prefer }) } })).json();
    expect(await look()).toMatchObject({ state: 'submitted', final: false });
    const waiting = look('wait=30');
    h.chain.mine();
    const outcome = { state: 'confirmed', confirmedRound: 11 };
    expect([await waiting, await look('wait=30')]).toEqual([
      expect.objectContaining(outcome),
      expect.objectContaining(outcome),
    ]);
  });

  it('waits no longer than it is told, nor than settle does, and not for what is not on record', async () => {
    const payment = modelPayment(h.chain);
    const facilitator = h.create({ settleTimeoutMs: 50 });
    await facilitator.settle(payment.payload, payment.requirements, early);
    for (const waitMs of [20, 60_000]) {
      expect(await facilitator.settlement(payment.txId, { waitMs })).toMatchObject({ state: 'submitted' });
    }
    expect(await facilitator.settlement('A'.repeat(52), { waitMs: 60_000 })).toBeUndefined();
  });

  it('waits for eight callers of one payment, and tells all others at once what is on record', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    await facilitator.settle(payment.payload, payment.requirements, early);
    const look = () => facilitator.settlement(payment.txId, { waitMs: 60_000 });
    const waiting = Array.from({ length: 8 }, look);
    for (let others = 0; others < 3; others++) expect(await look()).toMatchObject({ state: 'submitted' });
    h.chain.mine();
    for (const status of await Promise.all(waiting)) expect(status).toMatchObject({ state: 'confirmed' });
    expect(await look()).toMatchObject({ state: 'confirmed' });
  });
});
