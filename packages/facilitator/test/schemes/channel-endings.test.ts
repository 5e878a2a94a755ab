import { type Account, parseAccount } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { assignGroup } from '@avm402/algorand/group';
import { type ChannelConfig, channelId } from '@avm402/avm/batch-settlement';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/log/log.ts';
import {
  createFacilitator,
  type Facilitator,
  type Log,
  createMemorySettlementStore,
  type SettlementStore,
} from '../../src/index.ts';
import { ChannelStage, DEPOSIT } from './channel-stage.ts';
import { USDC } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { withStep } from '../harness.ts';
import { type Death, MortalReplica } from '../mortal-replica.ts';

const reason = (code: string) => ({ success: false, errorReason: `invalid_batch_settlement_avm_${code}` });

let stage: ChannelStage;
let store: SettlementStore;
let clock: number;
let warnings: string[];
let log: Log;

beforeEach(async () => {
  clock = Date.now();
  // Each test has its own: a question of the one before may fail when its node has stopped.
  const told: string[] = [];
  warnings = told;
  log = { ...silentLog, warn: (_, message) => void told.push(message) };
  store = createMemorySettlementStore();
  stage = await ChannelStage.start({ facilitator: { store, leaseMs: 90, now: () => clock, log } });
});
afterEach(() => stage[Symbol.asyncDispose]());

/** The payer leaves the asset: it can't receive what a channel returns. */
async function leaveAsset(payer: Account): Promise<void> {
  const receiver = stage.harness.account('payer2').address;
  const header = await stage.harness.header();
  const { address: sender } = payer;
  await stage.harness.send(payer, {
    ...header,
    type: 'axfer',
    sender,
    receiver,
    assetId: USDC,
    amount: 0n,
    assetCloseTo: receiver,
  });
}

/** An asset whose issuer can freeze holdings; payer and seller hold it. */
async function freezableAsset(issuer: Account): Promise<bigint> {
  const [header, { address: sender }] = [await stage.harness.header(), issuer];
  const parameters = { total: 10n * DEPOSIT, decimals: 6, unitName: 'ICY', assetName: 'Icy', freeze: sender };
  const creation = issuer.signTransaction({ ...header, type: 'acfg', sender, assetId: 0n, parameters });
  const { txId } = await stage.harness.algod.sendRawTransaction(creation);
  const assetId = (await stage.harness.algod.pendingTransaction(txId))?.assetIndex ?? 0n;
  const asset = { ...header, type: 'axfer', assetId, amount: 0n } as const;
  for (const holder of [stage.payer, stage.harness.account('merchant')]) {
    await stage.harness.send(holder, { ...asset, sender: holder.address, receiver: holder.address });
  }
  await stage.harness.send(issuer, { ...asset, sender, receiver: stage.payer.address, amount: DEPOSIT });
  return assetId;
}

describe('closing a channel', () => {
  it('hands the account over where the payer has left the asset: the seller is paid, the payer fetches the rest itself', async () => {
    const config = await stage.open();
    const id = channelId(config);
    await leaveAsset(stage.payer);
    const before = stage.usdc(stage.seller);
    const answer = await stage.settle(stage.claim(config, 1_234_567n));
    expect(answer).toMatchObject({ success: true, amount: '1234567', extra: { move: 'hand-over' } });
    expect(stage.usdc(stage.seller) - before).toBe(1_234_567n);
    expect(await stage.settle(stage.claim(config, 1n))).toEqual(answer);
    expect(await store.openChannels(stage.harness.network, { payer: stage.payer.address }), 'its ALGO stay lent').toBe(
      1,
    );

    const { privateKey } = stage.harness.devnode.accounts.payer;
    const heir = parseAccount(privateKey, { address: id });
    const header = await stage.harness.header();
    const optIn = { sender: stage.payer.address, receiver: stage.payer.address, assetId: USDC, amount: 0n };
    await stage.harness.send(stage.payer, { ...header, ...optIn, type: 'axfer' });
    const home = stage.payer.address;
    const group = assignGroup([
      { ...header, type: 'pay', sender: home, receiver: home, amount: 0n, fee: 3_000n },
      { ...header, type: 'axfer', sender: id, receiver: home, assetId: USDC, amount: 0n, assetCloseTo: home, fee: 0n },
      { ...header, type: 'pay', sender: id, receiver: home, amount: 0n, closeRemainderTo: home, fee: 0n },
    ]);
    const members = group.map((txn) => (txn.sender === home ? stage.payer : heir).signTransaction(txn));
    await stage.harness.algod.sendRawTransaction(Buffer.concat(members));
    expect(stage.usdc(home)).toBe(DEPOSIT - 1_234_567n);
    expect(stage.algo(id)).toBe(0n);
  });

  it('hands the account over where the payer is frozen in the asset', async () => {
    const issuer = stage.harness.account('payer2');
    const token = await freezableAsset(issuer);
    await using icy = await another({ store, assets: [String(token)] });
    const config = await stage.config({ token });
    const requirements = await stage.requirements({ asset: String(token) });
    const opening = await stage.message(await stage.opening(config), requirements);
    expect(await icy.facilitator.settle(opening.payload, opening.requirements)).toMatchObject({ success: true });
    const header = await stage.harness.header();
    const freeze = { assetId: token, freezeAccount: stage.payer.address, frozen: true };
    await stage.harness.send(issuer, { ...header, ...freeze, type: 'afrz', sender: issuer.address });
    const claim = await stage.message(stage.claim(config, 100n), requirements);
    const answer = await icy.facilitator.settle(claim.payload, claim.requirements);
    expect(answer).toMatchObject({ success: true, amount: '100', extra: { move: 'hand-over' } });
    expect(stage.harness.devnode.balance(stage.seller).assets.get(token)).toBe(100n);
  });

  it('pays more than a payment may cost when the network is congested, and never more than the ALGO that come back', async () => {
    const config = await stage.open();
    const before = stage.algo(stage.sponsor);
    const congested = (fee: bigint): AlgodClient => ({
      ...stage.harness.algod,
      params: async () => ({ ...(await stage.harness.algod.params()), fee }),
    });
    await using dear = await another({ store, algod: congested(84n) });
    expect(await claimAt(dear.facilitator, config, 100n)).toMatchObject({
      errorReason: 'invalid_batch_settlement_avm_fee_too_high',
    });
    await using busy = await another({ store, algod: congested(10n) });
    expect(await claimAt(busy.facilitator, config, 100n)).toMatchObject({ success: true });
    expect(stage.algo(stage.sponsor) - before).toBe(200_000n - 24_000n);
  });

  it('hands nothing over where nothing was charged', async () => {
    const config = await stage.open();
    await leaveAsset(stage.payer);
    expect(await stage.settle(stage.claim(config, 0n, { voucher: undefined }))).toMatchObject({
      errorReason: 'invalid_batch_settlement_avm_receiver_not_opted_in',
    });
    expect(stage.usdc(channelId(config))).toBe(DEPOSIT);
  });

  it('hands over in the same call when the payer leaves between the check and the submission', async () => {
    let leaves = false;
    const racing = withStep(store, 'submitted', async (...step) => {
      if (leaves) await leaveAsset(stage.payer);
      leaves = false;
      return store.change(...step);
    });
    await using late = await another({ store: racing });
    const config = await stage.open();
    leaves = true;
    const before = stage.usdc(stage.seller);
    expect(await claimAt(late.facilitator, config, 100n)).toMatchObject({
      success: true,
      extra: { move: 'hand-over' },
    });
    expect(stage.usdc(stage.seller) - before).toBe(100n);
    const rows = await store.channel(channelId(config));
    expect(rows.map(({ channel, state }) => `${channel?.kind} ${state}`)).toEqual([
      'open confirmed',
      'close rejected',
      'hand-over confirmed',
    ]);
  });

  it('returns the rest to a payer that is rekeyed', async () => {
    const config = await stage.open();
    const [header, rekeyTo] = [await stage.harness.header(), stage.harness.account('payer2').address];
    const { address } = stage.payer;
    await stage.harness.send(stage.payer, {
      ...header,
      type: 'pay',
      sender: address,
      receiver: address,
      amount: 0n,
      rekeyTo,
    });
    const before = stage.usdc(address);
    expect(await stage.settle(stage.claim(config, 100n))).toMatchObject({ success: true, extra: { move: 'close' } });
    expect(stage.usdc(address) - before).toBe(DEPOSIT - 100n);
  });

  it('pays the seller of a payer that has closed its account', async () => {
    const config = await stage.open();
    await leaveAsset(stage.payer);
    const [header, closeRemainderTo] = [await stage.harness.header(), stage.harness.account('payer2').address];
    const { address: sender } = stage.payer;
    const farewell = { sender, receiver: closeRemainderTo, amount: 0n, closeRemainderTo };
    await stage.harness.send(stage.payer, { ...header, ...farewell, type: 'pay' });
    expect(stage.algo(sender)).toBe(0n);
    const before = stage.usdc(stage.seller);
    expect(await stage.settle(stage.claim(config, 100n))).toMatchObject({
      success: true,
      extra: { move: 'hand-over' },
    });
    expect(stage.usdc(stage.seller) - before).toBe(100n);
  });
});

describe('an expired channel', () => {
  it('is refunded by anybody, once, and not a round earlier', async () => {
    const before = { payer: stage.usdc(stage.payer.address), algo: stage.algo(stage.sponsor) };
    const config = await stage.open({ expiry: (await stage.config()).expiry + 5n });
    const refund = { type: 'refund', channelConfig: config } as const;
    await stage.expire({ ...config, expiry: config.expiry - 2n });
    expect(await stage.settle(refund)).toMatchObject(reason('channel_not_expired'));
    await stage.expire(config);
    expect(await stage.verify(refund)).toMatchObject({ isValid: true, payer: stage.payer.address });
    const answer = await stage.settle(refund);
    expect(answer).toMatchObject({ success: true, amount: '0', extra: { move: 'refund' } });
    expect(await store.openChannels(stage.harness.network), 'its place is free').toBe(0);
    expect(await stage.settle(refund)).toEqual(answer);
    expect(stage.usdc(stage.payer.address)).toBe(before.payer);
    expect(before.algo - stage.algo(stage.sponsor)).toBe(4_000n + 3_000n);
    expect(await stage.settle(stage.claim(config, 100n))).toMatchObject({
      ...reason('channel_closed'),
      transaction: answer.transaction,
    });
  });

  it('is not claimed from any more', async () => {
    const config = await stage.open();
    await stage.expire(config);
    expect(await stage.settle(stage.claim(config, 100n))).toMatchObject(reason('channel_expiring'));
  });

  it('is refunded by the facilitator itself, which has its ALGO back; others are left alone', async () => {
    const before = { payer: stage.usdc(stage.payer.address), algo: stage.algo(stage.sponsor) };
    const config = await stage.open();
    const living = await stage.open({ expiry: config.expiry + 900n });
    expect(await store.openChannels(stage.harness.network)).toBe(2);
    await stage.expire(config);
    await eventually(async () => {
      clock += 10_000;
      return (await store.openChannels(stage.harness.network)) === 1;
    });
    expect(before.payer - stage.usdc(stage.payer.address)).toBe(DEPOSIT);
    expect(before.algo - stage.algo(stage.sponsor)).toBe(200_000n + 8_000n + 3_000n);
    expect(stage.usdc(channelId(living))).toBe(DEPOSIT);
  });

  it('that was handed over has ended, though its account still holds what it was lent', async () => {
    const config = await stage.open();
    await leaveAsset(stage.payer);
    const answer = await stage.settle(stage.claim(config, 1_234n));
    expect(answer).toMatchObject({ success: true, extra: { move: 'hand-over' } });
    expect(await store.openChannels(stage.harness.network)).toBe(1);
    await stage.expire(config);
    await eventually(async () => {
      clock += 10_000;
      return (await store.openChannels(stage.harness.network)) === 0;
    });
    expect(stage.algo(channelId(config))).toBe(200_000n);
    expect(warnings).toEqual([]);
  });

  it('that its payer can’t be given back is tried again later, and comes back when it can be', async () => {
    const stuck = await stage.open();
    await leaveAsset(stage.payer);
    await stage.expire(stuck);
    await eventually(() => {
      clock += 10_000;
      return warnings.includes('an expired channel could not be refunded; it is tried again later');
    });
    expect(stage.usdc(channelId(stuck))).toBe(DEPOSIT);
    const header = await stage.harness.header();
    const optIn = { sender: stage.payer.address, receiver: stage.payer.address, assetId: USDC, amount: 0n };
    await stage.harness.send(stage.payer, { ...header, ...optIn, type: 'axfer' });
    await eventually(() => {
      clock += 60_000;
      return stage.usdc(stage.payer.address) === DEPOSIT;
    });
  });
});

interface AnotherOptions {
  readonly store: SettlementStore;
  readonly assets?: string[];
  readonly algod?: AlgodClient;
}

/** One more facilitator on the store, with a node of its own to ask. */
async function another({ store: shared, assets, algod = stage.harness.algod }: AnotherOptions) {
  const facilitator = createFacilitator({
    networks: [{ algods: [algod] }],
    sponsorship: {
      account: stage.harness.account('facilitator'),
      payTo: [stage.seller],
      ...(assets && { assets }),
    },
    store: shared,
  });
  await facilitator.start();
  return { facilitator, [Symbol.asyncDispose]: () => facilitator.close() };
}

async function claimAt(facilitator: Facilitator, config: ChannelConfig, amount: bigint) {
  const { payload, requirements } = await stage.message(stage.claim(config, amount));
  return facilitator.settle(payload, requirements);
}

it('adds to a channel until it expires', async () => {
  const config = await stage.open();
  await stage.expire({ ...config, expiry: config.expiry - 5n });
  expect(await stage.settle(await stage.toppingUp(config, 1_000n))).toMatchObject({ success: true });
  expect(stage.usdc(channelId(config))).toBe(DEPOSIT + 1_000n);
});

describe('two replicas on one store', () => {
  it('close a channel once, whoever is asked, and both tell the same', async () => {
    await using second = await another({ store });
    const before = stage.usdc(stage.seller);
    const config = await stage.open();
    const both = [stage.harness.facilitator, second.facilitator];
    const answers = await Promise.all(
      [100n, 200n, 300n, 400n].map((amount, index) => claimAt(both[index % 2] ?? second.facilitator, config, amount)),
    );
    const [first] = answers;
    expect(first).toMatchObject({ success: true });
    expect(answers).toEqual([first, first, first, first]);
    expect(String(stage.usdc(stage.seller) - before)).toBe(first?.amount);
  });

  const deaths: readonly [string, Death][] = [
    ['before its row says that it is sent', { step: 1, of: 'change', effect: 'before' }],
    ['after that, before it is sent', { step: 1, of: 'sendRawTransaction', effect: 'before' }],
    ['after it was sent', { step: 1, of: 'sendRawTransaction', effect: 'after' }],
    ['before its confirmation is written', { step: 2, of: 'change', effect: 'before' }],
  ];
  it.each(deaths)('close once when one dies %s, and the other is asked again', async (_, death) => {
    const config = await stage.open();
    const before = { seller: stage.usdc(stage.seller), algo: stage.algo(stage.sponsor) };
    const replica = new MortalReplica({
      node: { client: () => stage.harness.algod },
      store,
      sponsorship: { account: stage.harness.account('facilitator'), payTo: [stage.seller] },
      leaseMs: 90,
    });
    await replica.facilitator.start();
    replica.dieAfter(death);
    expect(await Promise.race([replica.died, claimAt(replica.facilitator, config, 100n)])).toBe('died');
    const answer = await stage.settle(stage.claim(config, 200n));
    expect(answer).toMatchObject({ success: true, amount: '100' });
    expect(stage.usdc(stage.seller) - before.seller).toBe(100n);
    expect(stage.algo(stage.sponsor) - before.algo).toBe(200_000n - 3_000n);
    const endings = (await store.channel(channelId(config))).slice(1);
    expect(endings).toMatchObject([{ txId: answer.transaction, state: 'confirmed' }]);
  });
});

describe('a close whose outcome is not known', () => {
  it('is tried anew when its window is over and nobody has worked on it', async () => {
    const config = await stage.open();
    const before = stage.usdc(stage.seller);
    const replica = new MortalReplica({
      node: { client: () => stage.harness.algod },
      store,
      sponsorship: { account: stage.harness.account('facilitator'), payTo: [stage.seller] },
      leaseMs: 60_000,
    });
    await replica.facilitator.start();
    replica.dieAfter({ step: 1, of: 'change', effect: 'before' });
    expect(await Promise.race([replica.died, claimAt(replica.facilitator, config, 100n)])).toBe('died');
    const [, abandoned] = await store.channel(channelId(config));
    expect(abandoned).toMatchObject({ state: 'recorded', amount: 100n });
    await stage.harness.devnode.mine(201);
    await eventually(async () => (await stage.settle(stage.claim(config, 200n))).success);
    expect(stage.usdc(stage.seller) - before).toBe(200n);
    const [, , second] = await store.channel(channelId(config));
    expect(second).toMatchObject({ state: 'confirmed', amount: 200n });
  });

  it('is an answer of its own; asking again, with another amount, joins it', async () => {
    await using slow = await ChannelStage.start({
      node: { blocks: 'manual' },
      facilitator: { settleTimeoutMs: 200 },
    });
    const config = await slow.config();
    const opening = await slow.opening(config);
    expect(await slow.settle(opening, { key: 'k'.repeat(32) })).toMatchObject({ errorReason: 'settlement_pending' });
    expect(await slow.settle(slow.claim(config, 100n))).toMatchObject(reason('channel_not_found'));
    await slow.harness.devnode.mine(1);
    expect(await slow.settle(opening, { key: 'k'.repeat(32) })).toMatchObject({ success: true });
    const pending = await slow.settle(slow.claim(config, 100n));
    expect(pending).toMatchObject({ errorReason: 'settlement_pending', extra: { state: 'submitted' } });
    const again = await slow.settle(slow.claim(config, 200n));
    expect(again).toMatchObject({ errorReason: 'settlement_pending', transaction: pending.transaction });
    await slow.harness.devnode.mine(1);
    const answer = await slow.settle(slow.claim(config, 300n));
    expect(answer).toMatchObject({ success: true, transaction: pending.transaction, amount: '100' });
  });
});
