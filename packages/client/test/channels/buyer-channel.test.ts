import { expect, it, onTestFinished } from 'vitest';
import { formatAddress } from '@avm402/algorand/address';
import { createSigner } from '@avm402/algorand/ed25519';
import type { SignedRequest } from '@avm402/avm/batch-settlement/client';
import type { ChannelRecord } from '@avm402/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { BuyerChannel } from '../../src/channels/buyer-channel.ts';
import { encodeChannelRecord, parseChannelRecord } from '../../src/channels/channel-record.ts';
import { memoryChannelStore } from '../../src/channels/channel-store.ts';
import { isPaidOut, recordPaidOut } from '../../src/channels/record-paid-out.ts';
import { accounts } from '../chain.ts';
import { spendingThat } from './channel-parts.ts';

const signer = createSigner(new Uint8Array(32).fill(9));
const settled = {
  txId: 'A',
  groupTxIds: [],
  amount: 1000n,
  firstValid: 1n,
  lastValid: 9n,
  settled: true,
  paymentGroup: [],
};
const record: ChannelRecord = {
  config: {
    payer: accounts.payer.address,
    payerAuthorizer: formatAddress(signer.publicKey),
    receiver: accounts.merchant.address,
    receiverAuthorizer: accounts.facilitator.address,
    token: 10_458_941n,
    expiry: 5000n,
    funder: accounts.facilitator.address,
    genesisHash: new Uint8Array(32).fill(7),
    salt: new Uint8Array(16),
  },
  network: ALGORAND_TESTNET,
  state: 'open',
  deposits: [settled],
  charged: 0n,
  signed: 0n,
  signedUpTo: 0n,
};

/** A channel with a deposit of 1,000, and its store, whose next write can be made to fail. */
function open(change: Partial<ChannelRecord> = {}) {
  const kept = memoryChannelStore();
  const disk = { isFull: false, onWrite: () => {} };
  const store = {
    ...kept,
    write: async (next: ChannelRecord) => {
      disk.onWrite();
      await new Promise((resolve) => setImmediate(resolve));
      if (disk.isFull) throw new Error('the disk is full');
      await kept.write(next);
    },
  };
  const channel = new BuyerChannel({ record: { ...record, ...change }, store, signer });
  const request = async (maximum: bigint): Promise<SignedRequest> => {
    const signed = await channel.sign(maximum);
    if (!signed) throw new Error('no room');
    return signed;
  };
  return { channel, disk, request, onRecord: async () => (await kept.read())[0] };
}

it('a deposit that is shown to be settled twice counts once', async () => {
  const pending = { ...settled, settled: false };
  const { channel } = open({ deposits: [pending] });
  expect(channel.hasRoomFor(1n)).toBe(false);
  await Promise.all([channel.settled(pending, 5n), channel.settled(pending, 6n)]);
  await channel.settled(pending, 4n);
  expect([channel.spending.deposit, channel.seenAt, channel.pending]).toEqual([1000n, 6n, undefined]);
});

it('a deposit that is shown to be settled leaves another one pending', async () => {
  const [first, second] = ['B', 'C'].map((txId) => ({ ...settled, txId, settled: false }));
  if (!first || !second) throw new Error('two deposits');
  const { channel } = open({ deposits: [first, second] });
  await channel.settled(first, 5n);
  expect([channel.pending, channel.spending.deposit]).toEqual([second, 1000n]);
});

it('that was topped up any number of times has a record as small as after a few, and loses no money by that', async () => {
  const { channel, request, onRecord } = open();
  for (let round = 1n; round <= 1_200n; round++) {
    channel.learn(await request(1000n), { event: 'charged', goesOn: false });
    const topUp = { ...settled, txId: `T${round}`, settled: false };
    await channel.deposited(topUp);
    await channel.settled(topUp, round);
  }
  const written = await onRecord();
  if (!written) throw new Error('not on record');
  expect(written.deposits.map(({ txId }) => txId)).toEqual(['A', 'T1199', 'T1200']);
  const read = parseChannelRecord(encodeChannelRecord(written).trimEnd());
  expect(read).toEqual(written);
  const next = new BuyerChannel({ record: written, store: memoryChannelStore(), signer });
  expect([next.spending.deposit, next.seenAt]).toEqual([1_201_000n, 1_200n]);
  const { spending, returned } = spendingThat({ state: 'open' });
  await recordPaidOut(next, spending);
  expect(returned).toEqual([['T1200', 1_000n]]);
});

it('is paid out where the own node shows it empty, unless the node is behind or a deposit may still come', async () => {
  const pending = { ...settled, settled: false };
  const { channel } = open({ deposits: [pending] });
  expect(isPaidOut(channel, { state: 'empty', round: 9n })).toBe(false);
  await channel.settled(pending, 6n);
  expect([5n, 6n].map((round) => isPaidOut(channel, { state: 'empty', round }))).toEqual([false, true]);
  expect(isPaidOut(channel, { state: 'open', round: 7n })).toBe(false);
});

it('changes of its record that are made at once all survive a slow store', async () => {
  const pending = { ...settled, txId: 'B', settled: false };
  const { channel, onRecord } = open({ deposits: [settled, pending] });
  await Promise.all([channel.settled(pending, 5n), channel.beginClosing()]);
  expect(await onRecord()).toMatchObject({ state: 'closing', deposits: [{ settled: true }, { settled: true }] });
});

it('has on record that no more than its deposit was signed for, and at rest exactly what was', async () => {
  const { channel, request, onRecord } = open();
  const first = await request(100n);
  expect(await onRecord()).toMatchObject({ signedUpTo: 1000n });
  await channel.save();
  expect(await onRecord()).toMatchObject({ signedUpTo: 1000n, charged: 0n });
  channel.learn(first, { event: 'charged', cost: 40n, goesOn: false });
  await channel.save();
  expect(await onRecord()).toMatchObject({ signedUpTo: 100n, signed: 100n, charged: 40n });
  await request(200n);
  await channel.save();
  expect((await onRecord())?.signedUpTo).toBeGreaterThanOrEqual(240n);
});

it('signs nothing above what is on record while that is being written at rest, for another payer of its account', async () => {
  const { channel, disk, request, onRecord } = open();
  channel.learn(await request(100n), { event: 'charged', goesOn: false });
  let others: Promise<SignedRequest> | undefined;
  disk.onWrite = () => void (others ??= request(50n));
  await channel.save();
  expect((await others)?.voucher.maxClaimableAmount).toBe(150n);
  expect((await onRecord())?.signedUpTo).toBeGreaterThanOrEqual(150n);
});

it('can spend its whole deposit after a write failed for a voucher that did not leave', async () => {
  const { channel, disk, request } = open();
  disk.isFull = true;
  await expect(channel.sign(400n)).rejects.toThrow('the disk is full');
  disk.isFull = false;
  expect((await request(1000n)).voucher.maxClaimableAmount).toBe(1000n);
  expect(await channel.sign(1n)).toBeUndefined();
});

it('puts 256 requests of the same price on record ahead, and never more than the deposit', async () => {
  const { request, onRecord } = open();
  await request(3n);
  expect(await onRecord()).toMatchObject({ signedUpTo: 3n + 256n * 3n });
  await request(800n);
  expect(await onRecord()).toMatchObject({ signedUpTo: 1000n });
});

it('is resumed where more may have been signed than is known: all of that is claimable', async () => {
  const most = ({ signed, signedUpTo }: { signed: bigint; signedUpTo: bigint }) => open({ signed, signedUpTo });
  const resumed = most({ signed: 30n, signedUpTo: 40n });
  expect([resumed.channel.mostClaimable, resumed.channel.spending.doubtful]).toEqual([40n, 40n]);
  const rested = most({ signed: 40n, signedUpTo: 40n });
  expect(rested.channel.mostClaimable).toBe(40n);
  await rested.request(5n);
  expect(rested.channel.record.signedUpTo).toBeGreaterThan(rested.channel.mostClaimable);
});

it('that is resumed has on record at rest what may have left before, for the next process to count', async () => {
  const { channel, onRecord, request } = open({ signed: 30n, signedUpTo: 40n });
  channel.learn(await request(5n), { event: 'charged', cost: 5n, goesOn: false });
  await channel.save();
  expect([(await onRecord())?.signedUpTo, channel.mostClaimable]).toEqual([40n, 40n]);
});

it('writes nothing at rest that is on record, so that a file of channels does not grow with each process', async () => {
  const { channel, onRecord, request } = open({ charged: 20n, signed: 30n, signedUpTo: 40n });
  await channel.save();
  expect(await onRecord()).toBeUndefined();
  channel.learn(await request(5n), { event: 'charged', cost: 4n, goesOn: false });
  await channel.save();
  expect(await onRecord()).toMatchObject({ charged: 24n, signed: 31n, signedUpTo: 40n });
});

it('is refused until a moment, and not at it', () => {
  const { channel } = open();
  expect(channel.refusedAt(0)).toBeUndefined();
  channel.refuse('it is busy', 10);
  expect([10, 5_009, 5_010].map((now) => channel.refusedAt(now))).toEqual(['it is busy', 'it is busy', undefined]);
  // A clock that is set back ends it, too.
  expect(channel.refusedAt(9)).toBeUndefined();
});

it('signs up to its deposit and what comes with the voucher, and not above by one', async () => {
  const { channel, onRecord } = open();
  expect([channel.hasRoomFor(1_000n), channel.hasRoomFor(1_001n)]).toEqual([true, false]);
  expect(await channel.sign(1_001n)).toBeUndefined();
  expect(await channel.sign(1_501n, 500n)).toBeUndefined();
  expect((await channel.sign(1_500n, 500n))?.voucher.maxClaimableAmount).toBe(1_500n);
  expect([channel.spending.deposit, (await onRecord())?.signedUpTo]).toEqual([1_000n, 1_500n]);
});

it('signs nothing without its session key, and by the one on record rather than the account’s', () => {
  const store = memoryChannelStore();
  const lost = new BuyerChannel({ record, store, signer: undefined });
  expect([lost.canSign, new BuyerChannel({ record, store, signer }).canSign]).toEqual([false, true]);
  expect(() => lost.signClose()).toThrow(expect.objectContaining({ code: 'channel_unavailable' }));
  const seed = new Uint8Array(32).fill(1);
  const own = new BuyerChannel({ record: { ...record, seed }, store, signer });
  expect(own.signClose()).toEqual(new BuyerChannel({ record, store, signer: createSigner(seed) }).signClose());
  expect(own.signClose()).not.toEqual(new BuyerChannel({ record, store, signer }).signClose());
});

it('does not believe a charge above what was asked for, nor a state that its key has not signed', async () => {
  const { channel, request } = open();
  const signed = await request(10n);
  expect(channel.learn(signed, { event: 'charged', cost: 11n, goesOn: false })).toBe(false);
  expect(channel.spending).toMatchObject({ charged: 10n, underWay: [] });
  expect(channel.learn(await request(10n), { event: 'charged', cost: 4n, goesOn: false })).toBe(true);
  const { maxClaimableAmount: amount, signature } = signed.voucher;
  expect(channel.adopt({ charged: 20n, signed: amount, signature })).toBe(false);
  expect(channel.adopt({ charged: 14n, signed: 30n, signature })).toBe(false);
  expect(channel.spending.charged).toBe(14n);
  expect(channel.adopt({ charged: 10n, signed: amount, signature })).toBe(true);
});

it('makes one deposit at a time; those who wait go on with its end, and fail with its failure', async () => {
  const { channel } = open();
  expect(channel.depositing).toBeUndefined();
  const first = channel.beginDeposit();
  const waiting = channel.depositing;
  first.end();
  await waiting;
  expect(channel.depositing).toBeUndefined();
  const second = channel.beginDeposit();
  const third = channel.beginDeposit();
  const underWay = channel.depositing;
  second.end();
  expect(channel.depositing).toBe(underWay);
  const error = new Error('declined');
  third.fail(error);
  await expect(underWay).rejects.toBe(error);
  expect(channel.depositing).toBeUndefined();
});

it('ends no program by a deposit that fails while no other request waits for it', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  open().channel.beginDeposit().fail(new Error('declined'));
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

it('forgets a deposit that has expired, and is closed where it had no other', async () => {
  const pending = { ...settled, txId: 'B', settled: false };
  const one = open({ deposits: [settled, pending] });
  await one.channel.expired(pending);
  expect(await one.onRecord()).toMatchObject({ state: 'open', deposits: [settled] });
  const only = open({ deposits: [pending] });
  await only.channel.expired(pending);
  expect(await only.onRecord()).toMatchObject({ state: 'closed', deposits: [] });
});

it('writes at rest only what nothing can change any more', async () => {
  const { channel, request, onRecord } = open();
  const signed = await request(10n);
  await channel.save();
  expect((await onRecord())?.signedUpTo).toBe(1000n);
  channel.learn(signed, { event: 'refused' });
  await channel.beginClosing();
  await channel.save();
  expect(await onRecord()).toMatchObject({ state: 'closing', signedUpTo: 1000n, signed: 10n });
});

it('goes on writing after a write has failed', async () => {
  const { channel, disk, onRecord } = open();
  disk.isFull = true;
  await expect(channel.beginClosing()).rejects.toThrow('the disk is full');
  expect(channel.record.state).toBe('open');
  disk.isFull = false;
  await channel.deposited({ ...settled, txId: 'B', settled: false });
  expect((await onRecord())?.deposits.map(({ txId }) => txId)).toEqual(['A', 'B']);
});

it('writes once for requests that are signed side by side', async () => {
  const { channel, disk } = open();
  const signed = await Promise.all([1n, 1n, 1n].map((maximum) => channel.sign(maximum)));
  expect(signed.map((one) => one?.voucher.maxClaimableAmount)).toEqual([1n, 2n, 3n]);
  disk.isFull = true;
  expect((await channel.sign(1n))?.voucher.maxClaimableAmount).toBe(4n);
  expect(channel.record.signedUpTo).toBe(257n);
});

it('counts as claimable, and has on record, what another process has signed, once the seller shows it', async () => {
  const { voucher } = await open().request(600n);
  const { channel, onRecord } = open({ signed: 30n, signedUpTo: 40n });
  expect(channel.adopt({ charged: 500n, signed: 600n, signature: voucher.signature })).toBe(true);
  expect(channel.mostClaimable).toBe(600n);
  await channel.beginClosing();
  expect(await onRecord()).toMatchObject({ charged: 500n, signed: 600n, signedUpTo: 600n });
  const next = open({ ...(await onRecord()) });
  expect([next.channel.mostClaimable, next.channel.spending.doubtful]).toEqual([600n, 100n]);
});
