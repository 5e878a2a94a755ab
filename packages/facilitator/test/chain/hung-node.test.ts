import { describe, expect, it } from 'vitest';
import type { Facilitator } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle, withChanges } from '../harness.ts';
import { ModelNode } from '../model-chain.ts';
import { modelPayment } from '../model-payment.ts';

const h = new Harness({ instant: false });

it('a node that hangs keeps no row from being renewed and no other node from being asked, and is asked once', async () => {
  let renewals = 0;
  const store = withChanges(h.store, {
    takeOver(options) {
      renewals++;
      return h.store.takeOver(options);
    },
  });
  const hung = new ModelNode(h.chain);
  hung.hold = (method) => (method === 'status' ? new Promise(() => {}) : undefined);
  const algods = [h.node.client(), hung.client('http://hung.invalid')];
  const facilitator = h.create({ networks: [{ algods }], store, leaseMs: 300, settleTimeoutMs: 50 });
  const payment = modelPayment(h.chain);
  expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
  renewals = 0;
  await eventually(() => renewals > 5);
  const networks = [payment.requirements.network];
  expect(await h.store.takeOver({ owner: 'another replica', leaseMs: 300, networks })).toEqual([]);
  expect(h.calls('status')).toBeGreaterThan(5);
  expect(hung.calls['status']).toBe(1);
});

it('a way to a node that lets nobody wait for a block is not asked without end', async () => {
  const client = h.node.client();
  const impatient = { ...client, waitForBlockAfter: () => client.status() };
  const facilitator = h.create({ networks: [{ algods: [impatient] }] });
  await facilitator.start();
  const payment = modelPayment(h.chain);
  const answer = settle(facilitator, payment, KEY);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(h.calls('status')).toBeLessThan(10);
  h.chain.mine();
  expect(await answer).toMatchObject({ success: true });
});

describe('the watch over the rounds', () => {
  let clock = Date.now();

  /** A facilitator whose watch is with the harness's node, and another node that works. */
  async function watching(): Promise<Facilitator> {
    h.chain.instant = true;
    const algods = [h.node.client(), new ModelNode(h.chain).client('http://other.invalid')];
    const facilitator = h.create({ networks: [{ algods }], now: () => clock, settleTimeoutMs: 2_000 });
    await facilitator.start();
    await eventually(() => h.chain.waiters.size === 1);
    return facilitator;
  }

  it('does not wait for its node to come back while another one works', async () => {
    const facilitator = await watching();
    h.node.isDown = true;
    h.chain.wake();
    await eventually(async () => (await facilitator.readiness()).networks[0]?.nodes.connected === 1);
    h.node.isDown = false;
    h.node.hold = () => new Promise(() => {});
    clock += 10_000;
    expect(await settle(facilitator, modelPayment(h.chain), KEY)).toMatchObject({ success: true });
  });

  it('leaves its node as soon as anybody finds that it fails', async () => {
    const facilitator = await watching();
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    // What waits for its next block hears nothing, not even that there is none.
    h.node.lag = 1n;
    h.node.fault = () => 'lost before';
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: true });
  });
});
