import { afterAll, beforeAll, expect, it } from 'vitest';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { KEY } from '../harness.ts';

let h: DevnodeHarness;

beforeAll(async () => {
  // Room for one sponsored payment: two transactions.
  const node = { blocks: 'manual', config: { TxPoolSize: 2 } } as const;
  h = await DevnodeHarness.start({ node, facilitator: { settleTimeoutMs: 300 } });
});

afterAll(async () => {
  await h.stop();
});

it('a payment for which an algod’s pool has no room is settled as soon as there is some', async () => {
  const payloads = [await h.pay(), await h.pay()];
  const settled: string[] = [];
  for (const payload of payloads) {
    const outcome = await h.facilitator.settle(payload, h.requirements(), { idempotencyKey: KEY });
    expect(outcome).toMatchObject({ errorReason: 'settlement_pending', extra: { state: 'submitted' } });
    settled.push(outcome.transaction);
  }
  await eventually(async () => {
    await h.devnode.mine();
    const rows = await Promise.all(settled.map((txId) => h.facilitator.settlement(txId)));
    return rows.every((row) => row?.state === 'confirmed');
  });
});
