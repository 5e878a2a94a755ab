import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { Harness, KEY, settle, withChanges } from './harness.ts';
import { ModelNode } from './model-chain.ts';
import { modelPayment } from './model-payment.ts';

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
  const facilitator = h.create({ networks: [{ algods }], store, leaseMs: 300 });
  const payment = modelPayment(h.chain);
  expect(await settle(facilitator, payment, KEY)).toMatchObject({ errorReason: 'settlement_pending' });
  renewals = 0;
  await eventually(() => renewals > 5);
  const networks = [payment.requirements.network];
  expect(await h.store.takeOver({ owner: 'another replica', leaseMs: 300, networks })).toEqual([]);
  expect(h.calls('status')).toBeGreaterThan(5);
  expect(hung.calls['status']).toBe(1);
});
