import { describe, expect, it } from 'vitest';
import { createFacilitatorApp, type Facilitator } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle } from '../harness.ts';
import { ModelNode } from '../model-chain.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';

const h = new Harness();
let clock = Date.now();

interface TwoNodes {
  readonly facilitator: Facilitator;
  /** Asked first, unless it is too far behind. */
  readonly behind: ModelNode;
}

/** A facilitator that has seen both nodes: one at the chain's round 30, the other some rounds before. */
async function twoNodes(lag: bigint): Promise<TwoNodes> {
  h.chain.mine(20);
  const behind = new ModelNode(h.chain);
  behind.lag = lag;
  const algods = [behind.client('http://behind.invalid'), h.node.client('http://ahead.invalid')];
  const facilitator = h.create({ networks: [{ algods }], now: () => clock, settleTimeoutMs: 50 });
  await facilitator.start();
  return { facilitator, behind };
}

/** Waits until the facilitator has noticed that the node that is not behind does not answer. */
async function loseNode({ facilitator }: TwoNodes): Promise<void> {
  h.node.isDown = true;
  h.chain.wake();
  await eventually(async () => (await facilitator.readiness()).networks[0]?.nodes.connected === 1);
}

/** It answers again, and has rested. */
function findNode(): void {
  h.node.isDown = false;
  clock += 10_000;
}

const paymentFrom = (firstValid: bigint): ModelPayment =>
  modelPayment(h.chain, { changes: { firstValid, lastValid: firstValid + 100n } });

describe('a payment that a node behind the others takes for too early', () => {
  it('is verified by one that is not behind', async () => {
    const { facilitator, behind } = await twoNodes(3n);
    const { payload, requirements } = paymentFrom(31n);
    expect(await facilitator.verify(payload, requirements)).toMatchObject({ isValid: true });
    expect(behind.calls['simulate']).toBe(1);
    expect((await facilitator.readiness()).networks[0]?.nodes).toMatchObject({ total: 2, connected: 2 });
  });

  it('is not refused while only that node answers, but trouble of ours: verify it again later', async () => {
    const { facilitator, behind } = await twoNodes(20n);
    const app = createFacilitatorApp(facilitator);
    const { payload, requirements } = paymentFrom(31n);
    const verify = () =>
      app.inject({
        method: 'POST',
        url: '/verify',
        payload: { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements },
      });
    h.node.isDown = true;
    const unanswered = await verify();
    expect([unanswered.statusCode, unanswered.headers['retry-after']]).toEqual([503, '2']);
    expect(unanswered.json()).toMatchObject({ error: 'algod_unreachable' });
    behind.lag = 0n;
    expect((await verify()).json()).toMatchObject({ isValid: true });
  });

  it('is refused when no node has shown the round before it', async () => {
    const { facilitator } = await twoNodes(3n);
    const { payload, requirements } = paymentFrom(32n);
    expect(await facilitator.verify(payload, requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_not_yet_valid',
    });
  });

  it('is submitted until a node takes it, and not recorded as rejected', async () => {
    const nodes = await twoNodes(20n);
    const { facilitator, behind } = nodes;
    const payment = paymentFrom(31n);
    await facilitator.verify(payment.payload, payment.requirements);
    await loseNode(nodes);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => (behind.calls['sendRawTransaction'] ?? 0) > 0);
    expect(await answer).toMatchObject({ errorReason: 'settlement_pending', extra: { state: 'submitted' } });
    findNode();
    await eventually(() => h.chain.roundOf(payment.txId) === 31n);
    h.chain.mine(20);
    await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true, transaction: payment.txId });
  });

  it('is somebody else’s if another node says that it is there already', async () => {
    const nodes = await twoNodes(20n);
    const { facilitator, behind } = nodes;
    const payment = paymentFrom(31n);
    await facilitator.verify(payment.payload, payment.requirements);
    await loseNode(nodes);
    const answer = settle(facilitator, payment, KEY);
    await eventually(() => (behind.calls['sendRawTransaction'] ?? 0) > 0);
    h.chain.submit(payment.bytes);
    findNode();
    await answer;
    await eventually(async () => (await h.store.find(payment.txId)) === undefined);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'payment_already_on_chain' });
  });
});

it('a watch that went to a node behind the others goes back to a better one as soon as that one answers', async () => {
  h.chain.instant = false;
  const nodes = await twoNodes(20n);
  const { facilitator } = nodes;
  const payment = modelPayment(h.chain);
  expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
  await loseNode(nodes);
  await eventually(() => h.chain.waiters.size > 0);
  h.chain.mine();
  findNode();
  h.chain.mine();
  await eventually(async () => (await h.store.find(payment.txId))?.state === 'confirmed');
  expect(h.chain.lastRound).toBe(32n);
});
