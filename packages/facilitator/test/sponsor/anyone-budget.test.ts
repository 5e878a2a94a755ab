import { ALGORAND_MAINNET } from '@avm402/core/network';
import { expect, it } from 'vitest';
import { createFacilitator, createMemorySettlementStore } from '../../src/index.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { settlement } from '../stores/settlement-store-contract.ts';

it('the budget for anyone is spent by the payments on its own network, and by no others', async () => {
  const h = await DevnodeHarness.start();
  const store = createMemorySettlementStore();
  const sponsorship = { account: h.account('facilitator'), anyone: true, anyoneBudget: 2_000n };
  const facilitator = createFacilitator({ networks: [{ algods: [h.algod] }], sponsorship, store });
  const elsewhere = settlement('ELSEWHERE', { network: ALGORAND_MAINNET, sponsoredFee: 2_000n, terms: 'anyone' });
  await store.record(elsewhere, { owner: 'another', leaseMs: 60_000 });

  const [first, second] = [await h.pay(), await h.pay()];
  expect(await facilitator.verify(first, h.requirements())).toMatchObject({ isValid: true });
  expect(await facilitator.settle(first, h.requirements())).toMatchObject({ success: true });
  const spent = 'invalid_exact_avm_sponsor_budget';
  expect(await facilitator.verify(second, h.requirements())).toMatchObject({ isValid: false, invalidReason: spent });
  expect(await facilitator.settle(second, h.requirements())).toMatchObject({ success: false, errorReason: spent });
  await facilitator.close();
  await h.stop();
});

it('a fee counts against its budget for a day: thirteen hours later still, a day later no more', async () => {
  const h = await DevnodeHarness.start();
  let clock = Date.now();
  const now = (): number => clock;
  const sponsorship = { account: h.account('facilitator'), anyone: true, payerBudget: 2_000n };
  const facilitator = createFacilitator({
    networks: [{ algods: [h.algod] }],
    sponsorship,
    store: createMemorySettlementStore({ now }),
    now,
  });
  const settle = async () => facilitator.settle(await h.pay(), h.requirements());
  expect(await settle()).toMatchObject({ success: true });
  for (const milliseconds of [13 * 3_600_000, 11 * 3_600_000, 1]) {
    expect(await settle()).toMatchObject({ errorReason: 'invalid_exact_avm_sponsor_budget' });
    clock += milliseconds;
  }
  // What was left of the budget is remembered for a moment.
  await eventually(async () => (await settle()).success);
  await facilitator.close();
  await h.stop();
});
