import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { AlgorandError } from '@avm402/algorand/errors';
import { channelId, openingGroup } from '@avm402/avm/batch-settlement';
import type { PaymentRequirements } from '@x402/core/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Facilitator, FacilitatorOptions } from '../../src/index.ts';
import { createFacilitator, createMemorySettlementStore, Metrics } from '../../src/index.ts';
import { silentLog } from '../../src/log/log.ts';
import { ChannelStage, DEPOSIT } from '../schemes/channel-stage.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';

const second = accountFromSeed(new Uint8Array(32).fill(71));
/** µAlgo that the group of one payment costs, and that an account must hold. */
const FEE = 2_000n;
const MINIMUM = 100_000n;

let h: DevnodeHarness;
let first: Account;
let facilitator: Facilitator;
let clock: number;
const warnings: object[] = [];

beforeEach(async () => {
  h = await DevnodeHarness.start();
  first = accountFromSeed(new Uint8Array(32).fill(72));
  clock = Date.now();
  warnings.length = 0;
});

afterEach(async () => {
  await facilitator.close();
  await h.stop();
});

/** A facilitator whose two fee payers can pay for that many payments. */
async function startWith(
  payments: readonly [bigint, bigint],
  options: Partial<FacilitatorOptions> = {},
): Promise<void> {
  for (const [index, { address }] of [first, second].entries()) {
    await h.devnode.fund(address, MINIMUM + FEE * (payments[index] ?? 0n));
  }
  facilitator = createFacilitator({
    networks: [{ algods: [h.algod] }],
    sponsorship: { account: first, moreAccounts: [second], anyone: true },
    store: createMemorySettlementStore({ now: () => clock }),
    leaseMs: 60,
    now: () => clock,
    log: { ...silentLog, warn: (facts: object) => void warnings.push(facts) },
    ...options,
  });
  await facilitator.start();
}

const sponsors = async () => (await facilitator.readiness()).networks[0]?.sponsors ?? [];
const left = async () => (await sponsors()).map(({ paymentsLeft }) => paymentsLeft);

async function offered(): Promise<unknown> {
  const { kinds } = await facilitator.getSupported();
  return kinds.find(({ scheme }) => scheme === 'exact')?.extra?.['feePayer'];
}

async function addTo(account: Account, payments: bigint): Promise<void> {
  await h.devnode.fund(account.address, FEE * payments);
  clock += 10_000;
}

const offerOf = ({ address }: Account): PaymentRequirements => h.requirements({ extra: { feePayer: address } });

async function settleWith(account: Account) {
  const requirements = offerOf(account);
  return facilitator.settle(await h.pay(requirements), requirements);
}

it('offers name the fee payer with most payments left, and another one only when it has more than twice as many', async () => {
  await startWith([50n, 100n]);
  await eventually(async () => (await left()).join() === '50,100');
  expect(await offered()).toBe(first.address);
  await addTo(second, 1n);
  await eventually(async () => (await offered()) === second.address);
  await addTo(first, 100n);
  await eventually(async () => (await left()).join() === '150,101');
  expect(await offered()).toBe(second.address);
});

it('an offer that names a fee payer holds when another one is offered meanwhile, and each signs for its own', async () => {
  await startWith([1n, 100n]);
  await eventually(async () => (await offered()) === second.address);
  const { signers } = await facilitator.getSupported();
  expect(signers['algorand:*']).toEqual([first.address, second.address]);
  for (const account of [first, second]) {
    const before = h.devnode.balance(account.address).microAlgos;
    expect(await settleWith(account)).toMatchObject({ success: true });
    expect(before - h.devnode.balance(account.address).microAlgos).toBe(FEE);
  }
});

it('none of the fee payers is paid, or pays, in what another one sponsors', async () => {
  await startWith([10n, 10n]);
  const toUs = { ...offerOf(first), payTo: second.address };
  expect(await facilitator.verify(await h.pay(toUs), toUs)).toMatchObject({
    invalidReason: 'invalid_exact_avm_not_sponsored',
  });
  const byUs = await h.pay(offerOf(first), second);
  expect(await facilitator.verify(byUs, offerOf(first))).toMatchObject({
    invalidReason: 'invalid_exact_avm_facilitator_transferring',
  });
});

it('what they have left is what a node said last, while none answers', async () => {
  let refused = 0;
  let isAway = false;
  const account: typeof h.algod.account = (...asked) => {
    if (!isAway) return h.algod.account(...asked);
    refused += 1;
    return Promise.reject(new AlgorandError('algod_unreachable', 'away'));
  };
  await startWith([3n, 9n], { networks: [{ algods: [{ ...h.algod, account }] }] });
  await eventually(async () => (await left()).join() === '3,9');
  isAway = true;
  clock += 10_000;
  await eventually(async () => (await left()).length === 2 && refused > 1);
  expect([await left(), await offered()]).toEqual([[3, 9], second.address]);
});

it('one that is named and can’t pay any more is trouble of ours, not a refusal; with another one it is degraded, without any not ready', async () => {
  await startWith([1n, 1n]);
  expect(await settleWith(first)).toMatchObject({ success: true });
  clock += 10_000;
  await eventually(async () => (await left()).join() === '0,1');
  expect((await facilitator.readiness()).status).toBe('degraded');
  await eventually(async () => (await offered()) === second.address);
  const stale = offerOf(first);
  await expect(facilitator.verify(await h.pay(stale), stale)).rejects.toMatchObject({ code: 'sponsor_unfunded' });
  expect(await settleWith(second)).toMatchObject({ success: true });
  clock += 10_000;
  await eventually(async () => (await facilitator.readiness()).status === 'not_ready');
  const low = new Set(warnings.flatMap((facts) => ('feePayer' in facts ? [facts.feePayer] : [])));
  expect(low).toEqual(new Set([first.address, second.address]));
});

describe('one that is rekeyed to a key that nobody here has', () => {
  const rekey = (to: Account) => h.devnode.setAuthAddress(first.address, to.address);

  it('pays for nothing, is offered no more, and pays again once it is rekeyed back', async () => {
    await startWith([100n, 100n]);
    await eventually(async () => (await left()).join() === '100,100');
    await rekey(second);
    clock += 10_000;
    await eventually(async () => (await left()).join() === '0,100' && (await offered()) === second.address);
    expect((await facilitator.readiness()).status).toBe('degraded');
    const stale = offerOf(first);
    await expect(facilitator.verify(await h.pay(stale), stale)).rejects.toMatchObject({ code: 'sponsor_rekeyed' });
    await expect(settleWith(first)).rejects.toMatchObject({ code: 'sponsor_rekeyed' });
    expect(await settleWith(second)).toMatchObject({ success: true });
    await rekey(first);
    clock += 10_000;
    await eventually(async () => (await left()).join() === '100,99');
    expect(await settleWith(first)).toMatchObject({ success: true });
  });

  it('leaves payments open that were verified before, which blames no buyer, and pays them once when it is rekeyed back', async () => {
    await startWith([100n, 100n], { settleTimeoutMs: 300 });
    await eventually(async () => (await left()).join() === '100,100');
    const [requirements, before] = [offerOf(first), h.usdc(h.account('merchant').address)];
    const payment = await h.pay(requirements);
    expect(await facilitator.verify(payment, requirements)).toMatchObject({ isValid: true });
    await rekey(second);
    expect(await facilitator.settle(payment, requirements)).toMatchObject({ errorReason: 'settlement_pending' });
    await rekey(first);
    await eventually(async () => (await facilitator.settle(payment, requirements)).success);
    expect(await facilitator.settle(payment, requirements)).toMatchObject({ errorReason: 'duplicate_settlement' });
    expect(h.usdc(h.account('merchant').address) - before).toBe(10_000n);
  });
});

it('readiness and metrics tell of each, by its address', async () => {
  const metrics = new Metrics();
  await startWith([2_000n, 3_000n], { metrics });
  await eventually(async () => (await left()).join() === '2000,3000');
  expect(await sponsors()).toEqual([
    { address: first.address, offered: true, microAlgos: '4000000', paymentsLeft: 2_000 },
    { address: second.address, offered: false, microAlgos: '6000000', paymentsLeft: 3_000 },
  ]);
  metrics.show(await facilitator.readiness());
  const text = await metrics.text();
  expect(text).toContain(`avm402_sponsor_payments_left{network="${h.network}",sponsor="${second.address}"} 3000`);
  expect(text).toContain(`avm402_sponsor_offered{network="${h.network}",sponsor="${first.address}"} 1`);
});

it('a budget for all together ends sponsoring for the day, whoever is paid and whichever fee payer is named', async () => {
  await startWith([100n, 100n], {
    sponsorship: { account: first, moreAccounts: [second], anyone: true, totalBudget: 2n * FEE },
  });
  expect(await settleWith(first)).toMatchObject({ success: true });
  expect(await settleWith(second)).toMatchObject({ success: true });
  const spent = 'invalid_exact_avm_sponsor_budget';
  expect(await settleWith(first)).toMatchObject({ success: false, errorReason: spent });
  const elsewhere = { ...offerOf(second), payTo: h.account('facilitator').address };
  expect(await facilitator.verify(await h.pay(elsewhere), elsewhere)).toMatchObject({ invalidReason: spent });
  clock += 24 * 60 * 60 * 1000 + 1;
  // A budget that is used up rests for some times as long as its sum took.
  await eventually(async () => (await settleWith(first)).success);
});

it('channels keep their closer and funder while the fee payer of deposits changes, and are closed by the closer', async () => {
  await startWith([1n, 1n]);
  await using stage = await ChannelStage.start({
    facilitator: {
      sponsorship: { account: h.account('facilitator'), moreAccounts: [second], anyone: true },
    },
  });
  await stage.harness.devnode.fund(second.address, 1_000_000_000_000_000n);
  const { extra } = await stage.requirements();
  expect(extra).toMatchObject({ receiverAuthorizer: stage.sponsor, funder: stage.sponsor });
  const config = await stage.config();
  const group = openingGroup(config, { feePayer: second.address, deposit: DEPOSIT }, await stage.terms());
  const requirements = await stage.requirements({ extra: { ...extra, feePayer: second.address } });
  const before = stage.algo(second.address);
  const opened = await stage.settle(stage.deposit(config, DEPOSIT, group), { requirements });
  expect(opened).toMatchObject({ success: true, extra: { channelId: channelId(config) } });
  expect(before - stage.algo(second.address)).toBe(4_000n);
  const lent = stage.algo(stage.sponsor);
  expect(await stage.settle(stage.claim(config, 1_000n))).toMatchObject({ success: true });
  expect(stage.algo(stage.sponsor) - lent).toBe(200_000n - 3_000n);
});
