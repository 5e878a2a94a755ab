import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ChannelBook } from '../../src/channels/record/channel-book.ts';
import type { LiveChannel } from '../../src/channels/record/live-channel.ts';
import { createMemoryChannelStore } from '../../src/channels/stores/memory-channel-store.ts';
import { isSameBuyer } from '../../src/channels/serving/channel-payment.ts';
import { channel } from '../support/channels.ts';
import { faultyChannelStore } from '../support/faulty-channel-store.ts';

const signature = new Uint8Array(64);
const UNAVAILABLE = { code: 'store_unavailable' };
const row = channel(1, { balance: 10_000n });

async function opened(count = 1, maxIdle?: number) {
  const store = faultyChannelStore();
  // A configuration is slow to hash: the channels differ by their ids only.
  const rows = Array.from({ length: count }, (_, number) => ({ ...row, channelId: `channel ${number}` }));
  await store.write(rows.map((next) => ({ next })));
  const options = { store, now: () => 7, randomBytes, ...(maxIdle !== undefined && { maxIdle }) };
  const book = new ChannelBook(options);
  const find = (number: number): Promise<LiveChannel> => found(book, `channel ${number}`);
  return { store, book, find, other: () => new ChannelBook(options) };
}

async function found(book: ChannelBook, channelId: string): Promise<LiveChannel> {
  const live = await book.find(channelId);
  if (live === undefined) throw new Error('not found');
  return live;
}

function admitted(live: LiveChannel, amount: bigint, paymentId?: string) {
  const buyer = paymentId === undefined ? undefined : { paymentId, fingerprint: 'f', route: 'r' };
  const asked = live.admit({ amount, signature, maximum: 100n, ...(buyer && { buyer }) });
  if (typeof asked === 'string') throw new Error(asked);
  return asked;
}

describe('a book of channels', () => {
  it('knows each channel once, also for those who ask at the same time, and none that nobody has opened', async () => {
    const { book, find } = await opened();
    const [one, two, none] = await Promise.all([find(0), find(0), book.find('nobody’s')]);
    expect([one === two, one === (await find(0)), none]).toEqual([true, true, undefined]);
  });

  it('keeps 20,000 where nothing else is said, those that were used last', async () => {
    const get = async (channelId: string) => ({ ...row, channelId });
    const store = { ...createMemoryChannelStore(), get, remembered: async () => [] };
    const book = new ChannelBook({ store, now: () => 7, randomBytes });
    const find = (number: number): Promise<LiveChannel> => found(book, `channel ${number}`);
    const [first, second] = [await find(0), await find(1)];
    for (let number = 2; number < 20_000; number++) await find(number);
    expect([(await find(0)) === first, (await find(1)) === second]).toEqual([true, true]);
    await find(20_000);
    expect([(await find(0)) === first, (await find(1)) === second]).toEqual([true, true]);
  });

  it('forgets the one that was used longest ago', async () => {
    const { find } = await opened(3, 2);
    const [one, two] = [await find(0), await find(1)];
    await find(0);
    await find(2);
    expect([(await find(0)) === one, (await find(1)) === two]).toEqual([true, false]);
  });

  it('forgets none that is in doubt', async () => {
    const { store, find } = await opened(2, 1);
    const one = await find(0);
    store.writes.push('fails', 'fails');
    await expect(admitted(one, 100n).end(7n)).rejects.toMatchObject(UNAVAILABLE);
    expect([one.isDoubtful, one.isIdle]).toEqual([true, false]);
    await find(1);
    expect(await find(0)).toBe(one);
  });

  it('opens a channel with its first deposit, and counts every other one, each once', async () => {
    const { store, book } = await opened();
    const next = { ...row, channelId: 'new', balance: 500n };
    await book.deposit(next, 'A');
    expect(await store.get('new')).toEqual(next);
    for (const txId of ['A', 'B', 'B']) await book.deposit(next, txId);
    expect((await store.get('new'))?.balance).toBe(1_000n);
  });

  it('counts a deposit once that comes with two requests at the same time', async () => {
    const { store, book } = await opened();
    const next = { ...row, channelId: 'channel 0', balance: 500n };
    await Promise.all([book.deposit(next, 'A'), book.deposit(next, 'A')]);
    expect((await store.get('channel 0'))?.balance).toBe(10_500n);
  });

  it('counts two deposits that open one channel at the same time, on one server or two', async () => {
    for (const isOther of [false, true]) {
      const { store, book, other } = await opened();
      const next = { ...row, channelId: 'new', balance: 500n };
      const books = [book, isOther ? other() : book];
      const both = await Promise.all(books.map((one, index) => one.deposit(next, `TX ${index}`)));
      expect((await store.get('new'))?.balance).toBe(1_000n);
      await Promise.all(both.map((live) => live.refresh()));
      expect(both.map(({ row: { balance } }) => balance)).toEqual([1_000n, 1_000n]);
    }
  });

  it('knows a deposit that another server has counted, with the balance that it gave', async () => {
    const { book, other, find } = await opened();
    await find(0);
    const next = { ...row, channelId: 'channel 0', balance: 500n };
    await other().deposit(next, 'A');
    expect((await book.deposit(next, 'A')).row.balance).toBe(10_500n);
  });

  it('takes back on its own what was written for a request that was told that the store fails', async () => {
    const { store, book, find } = await opened();
    const live = await find(0);
    store.writes.push('answer is lost');
    store.reads.push('fails');
    await expect(admitted(live, 100n).end(7n)).rejects.toMatchObject(UNAVAILABLE);
    expect([(await store.get('channel 0'))?.charged, live.isDoubtful]).toEqual([7n, true]);
    store.reads.push('fails');
    await book.settleDoubts();
    expect(live.isDoubtful).toBe(true);
    await book.settleDoubts();
    await expect.poll(async () => (await store.get('channel 0'))?.charged).toBe(0n);
    await expect.poll(() => [live.isDoubtful, live.isIdle]).toEqual([false, true]);
  });

  it('frees the payment id of a charge that was taken back: its request may be made again with another voucher', async () => {
    const { store, book, find } = await opened();
    const live = await find(0);
    store.writes.push('answer is lost');
    store.reads.push('fails');
    await expect(admitted(live, 100n, 'its id').end(7n)).rejects.toMatchObject(UNAVAILABLE);
    const reads = Array.from({ length: 20 }, () => 'works' as const);
    store.reads.push(...reads);
    await book.settleDoubts();
    await expect.poll(() => live.amountOf('its id')).toBeUndefined();
    // The row and its requests, once: another reading could fail, and refuse what waits.
    expect(reads.length - store.reads.length).toBe(2);
    expect((await store.get('channel 0'))?.charged).toBe(0n);
  });

  it('reads no channel again that is not in doubt', async () => {
    const { store, book, find } = await opened();
    await find(0);
    let reads = 0;
    store.get = async () => (reads++, undefined);
    await book.settleDoubts();
    await find(0);
    expect(reads).toBe(0);
  });

  it('names its server by eight random bytes in hex, and the time of each charge', async () => {
    const store = createMemoryChannelStore();
    await store.write([{ next: row }]);
    const book = new ChannelBook({ store, now: () => 99, randomBytes: (length) => new Uint8Array(length).fill(171) });
    await admitted(await found(book, row.channelId), 100n).end(7n);
    expect(await store.remembered(row.channelId)).toMatchObject([{ owner: 'ab'.repeat(8) }]);
    expect((await store.get(row.channelId))?.usedAt).toBe(99);
  });
});

describe('a channel', () => {
  it('whose row is gone is in trouble, and says that its store fails', async () => {
    const { store, find } = await opened();
    const live = await find(0);
    const get = store.get.bind(store);
    store.get = async () => undefined;
    await expect(live.refresh()).rejects.toMatchObject(UNAVAILABLE);
    store.get = get;
    await live.refresh();
    await admitted(live, 100n).end(7n);
    expect((await store.get('channel 0'))?.charged).toBe(7n);
  });

  it('knows the payment ids of its requests down to its floor', async () => {
    const { store, find } = await opened();
    const live = await find(0);
    for (const [amount, id] of [
      [100n, 'a'],
      [200n, 'b'],
      [300n, 'c'],
    ] as const) {
      await admitted(live, amount, id).end(1n);
    }
    expect(['a', 'b', 'c', 'd'].map((id) => live.amountOf(id))).toEqual([100n, 200n, 300n, undefined]);
    await store.write([
      { next: { ...live.row, version: live.row.version + 1, floor: 200n }, previous: live.row.version },
    ]);
    await live.refresh();
    expect(['a', 'b', 'c'].map((id) => live.amountOf(id))).toEqual([undefined, 200n, 300n]);
    await admitted(live, 400n, 'd').end(1n);
    expect(['a', 'b', 'c', 'd'].map((id) => live.amountOf(id))).toEqual([undefined, 200n, 300n, 400n]);
  });

  it('frees the payment id of a request that was not charged, and of no other', async () => {
    const { store, find, other } = await opened();
    const live = await find(0);
    const partly = admitted(live, 100n, 'partly');
    await partly.charge(1n);
    store.writes.push('fails', 'fails');
    await expect(partly.end(5n)).rejects.toMatchObject(UNAVAILABLE);
    store.writes.push('fails', 'fails');
    await expect(admitted(live, 200n, 'failed').end(5n)).rejects.toMatchObject(UNAVAILABLE);
    store.writes.push('fails', 'fails');
    const begun = admitted(live, 250n, 'begun');
    await expect(begun.charge(5n)).rejects.toMatchObject(UNAVAILABLE);
    begun.release();
    const taken = admitted(live, 300n, 'taken');
    await admitted(await found(other(), 'channel 0'), 300n).end(5n);
    await expect(taken.end(5n)).rejects.toMatchObject({ code: 'invalid_batch_settlement_avm_channel_busy' });
    const amounts = ['partly', 'failed', 'begun', 'taken'].map((id) => live.amountOf(id));
    expect(amounts).toEqual([100n, undefined, undefined, 300n]);
  });

  it('that is released twice, or after its end, frees its room once', async () => {
    const { find } = await opened();
    const live = await find(0);
    const [one, two] = [admitted(live, 100n), admitted(live, 200n)];
    one.release();
    one.release();
    const ended = two.end(7n);
    two.release();
    await ended;
    await Promise.all([one.ended, two.ended]);
    expect([live.credit.reserved, live.credit.charged, live.underWay(100n), live.underWay(200n)]).toEqual([
      [],
      7n,
      undefined,
      undefined,
    ]);
  });
});

it('two requests are those of one buyer where all that names it is the same', () => {
  const buyer = { paymentId: 'p', fingerprint: 'f', route: 'r' };
  expect(isSameBuyer(buyer, { ...buyer })).toBe(true);
  for (const name of ['paymentId', 'fingerprint', 'route']) {
    expect([isSameBuyer(buyer, { ...buyer, [name]: 'x' }), isSameBuyer({ ...buyer, [name]: 'x' }, buyer)]).toEqual([
      false,
      false,
    ]);
  }
  expect([isSameBuyer(undefined, undefined), isSameBuyer(buyer, undefined), isSameBuyer(undefined, buyer)]).toEqual([
    false,
    false,
    false,
  ]);
});
