import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ChannelBook } from '../../src/channels/record/channel-book.ts';
import type { AdmittedRequest, LiveChannel } from '../../src/channels/record/live-channel.ts';
import { channel, request } from '../support/channels.ts';
import { type FaultyStore, faultyChannelStore } from '../support/faulty-channel-store.ts';

const signature = new Uint8Array(64);
const UNAVAILABLE = { code: 'store_unavailable' };

async function opened(row = channel(1, { balance: 10_000n })) {
  const store = faultyChannelStore();
  await store.write([{ next: row }]);
  const book = bookOn(store);
  const live = await found(book, row.channelId);
  return { store, book, live, charged: async () => (await store.get(row.channelId))?.charged };
}

function bookOn(store: FaultyStore): ChannelBook {
  return new ChannelBook({ store, now: () => 0, randomBytes });
}

async function found(book: ChannelBook, channelId: string): Promise<LiveChannel> {
  const live = await book.find(channelId);
  if (live === undefined) throw new Error('not found');
  return live;
}

function admitted(live: LiveChannel, amount: bigint, maximum = 100n): AdmittedRequest {
  const asked = live.admit({ amount, signature, maximum });
  if (typeof asked === 'string') throw new Error(asked);
  return asked;
}

/** A read of the row that ends when it is told to. */
function heldRead(store: FaultyStore) {
  const get = store.get.bind(store);
  let end: (error?: Error) => void = () => undefined;
  let begun: () => void = () => undefined;
  const isReading = new Promise<void>((resolve) => (begun = resolve));
  store.get = async (channelId) => {
    store.get = get;
    begun();
    await new Promise<void>((resolve, reject) => (end = (error) => (error ? reject(error) : resolve())));
    return get(channelId);
  };
  return { isReading, end: (error?: Error) => end(error) };
}

describe('a channel whose record is read again', () => {
  it('refuses what was to be charged meanwhile, if that read fails, and charges what comes later', async () => {
    const { store, live, charged } = await opened();
    const read = heldRead(store);
    const refreshed = expect(live.refresh()).rejects.toMatchObject(UNAVAILABLE);
    await read.isReading;
    const ended = expect(admitted(live, 100n).end(7n)).rejects.toMatchObject(UNAVAILABLE);
    read.end(new Error('the disk is gone'));
    await Promise.all([refreshed, ended]);
    await admitted(live, 200n).end(5n);
    expect(await charged()).toBe(5n);
  });

  it('charges what came meanwhile once, and loses nothing', async () => {
    const { store, live, charged } = await opened();
    const writing = admitted(live, 100n).end(7n);
    const refreshing = live.refresh();
    const later = admitted(live, 200n).end(5n);
    await Promise.all([writing, refreshing, later]);
    expect([await charged(), live.row.charged, live.credit.charged]).toEqual([12n, 12n, 12n]);
    expect(store.written()).toBeLessThanOrEqual(3);
  });

  it('waits for the write that is under way, which is made once', async () => {
    const { store, live, charged } = await opened();
    const write = store.write.bind(store);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let begun: () => void = () => undefined;
    const isWriting = new Promise<void>((resolve) => (begun = resolve));
    store.write = async (changes) => {
      begun();
      await held;
      return write(changes);
    };
    const ended = admitted(live, 100n).end(7n);
    await isWriting;
    const refreshed = live.refresh();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    goOn();
    await Promise.all([ended, refreshed]);
    expect([await charged(), live.row.charged, store.written()]).toEqual([7n, 7n, 2]);
  });

  it('is read once for all who ask at the same time', async () => {
    const { store, live } = await opened();
    const read = heldRead(store);
    let reads = 0;
    const refreshed = [live.refresh(), live.refresh()];
    await read.isReading;
    const get = store.get.bind(store);
    store.get = (channelId) => {
      reads++;
      return get(channelId);
    };
    refreshed.push(live.refresh());
    read.end();
    await Promise.all(refreshed);
    expect(reads).toBe(0);
  });

  it('is found again after a read that has failed', async () => {
    const { store, book, live } = await opened();
    store.reads.push('fails');
    await expect(live.refresh()).rejects.toMatchObject(UNAVAILABLE);
    const other = bookOn(store);
    await admitted(await found(other, live.row.channelId), 100n).end(50n);
    expect((await found(book, live.row.channelId)).row.charged).toBe(50n);
  });
});

describe('a charge of which the answer is lost', () => {
  it('is made once where two parts of one stream were written together', async () => {
    const { store, live, charged } = await opened();
    const stream = admitted(live, 100n);
    store.writes.push('answer is lost');
    const first = stream.charge(1n);
    const parts = [stream.charge(10n), stream.charge(20n)];
    await Promise.all([first, ...parts]);
    await stream.end(4n);
    expect(await charged()).toBe(35n);
  });

  it('is taken back for a request that was told so, though its document is damaged, but not where its response is kept', async () => {
    const buyer = { paymentId: 'p', fingerprint: 'f', route: 'r' };
    const response = { status: 200, headers: [], body: new Uint8Array(1), keptUntil: 1 };
    for (const [kept, left] of [[undefined, 0n] as const, [response, 7n] as const]) {
      const { store, live, charged } = await opened();
      const asked = live.admit({ amount: 100n, signature, maximum: 100n, buyer });
      if (typeof asked === 'string') throw new Error(asked);
      store.writes.push('answer is lost');
      store.reads.push('fails');
      await expect(asked.end(7n, kept)).rejects.toMatchObject(UNAVAILABLE);
      expect(await charged()).toBe(7n);
      store.request = () => Promise.reject(new Error('a row of the store can’t be read'));
      await live.refresh();
      await admitted(live, 200n).end(0n);
      expect(await charged()).toBe(left);
    }
  });

  it('is taken back alone, with the parts of its stream that were written together: what it was charged before stays', async () => {
    const { store, live, charged } = await opened();
    const stream = admitted(live, 100n);
    await stream.charge(10n);
    store.writes.push('answer is lost');
    store.reads.push('fails');
    const parts = await Promise.allSettled([stream.charge(2n), stream.end(3n)]);
    expect(parts.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await charged()).toBe(15n);
    await live.refresh();
    await admitted(live, 200n).end(0n);
    expect(await charged()).toBe(10n);
  });

  it('is not taken back where another server has charged the same voucher meanwhile', async () => {
    const { store, live, charged } = await opened();
    const other = await found(bookOn(store), live.row.channelId);
    store.writes.push('fails', 'fails');
    await expect(admitted(live, 100n).end(7n)).rejects.toMatchObject(UNAVAILABLE);
    await admitted(other, 100n).end(9n);
    await live.refresh();
    await admitted(live, 200n).end(0n);
    expect(await charged()).toBe(9n);
  });

  it('is taken back by a later write if the first that does so fails, or the read after it', async () => {
    for (const [writes, reads] of [
      [['fails', 'fails'], []] as const,
      [['fails'], ['works', 'works', 'fails']] as const,
    ]) {
      const { store, live, charged } = await opened();
      store.writes.push('answer is lost');
      store.reads.push('fails');
      await expect(admitted(live, 100n).end(7n)).rejects.toMatchObject(UNAVAILABLE);
      store.writes.push(...writes);
      store.reads.push(...reads);
      await live.refresh();
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(await charged()).toBe(7n);
      await live.refresh();
      await admitted(live, 200n).end(0n);
      expect([await charged(), live.isDoubtful]).toEqual([0n, false]);
    }
  });

  it.each([['works'], ['answer is lost']] as const)(
    'stays on record for a voucher that came again after two failed writes, was charged and answered: the write %s',
    async (fault) => {
      const { store, live, charged } = await opened();
      store.writes.push('fails', 'fails');
      await expect(admitted(live, 100n).end(7n)).rejects.toMatchObject(UNAVAILABLE);
      store.writes.push(fault);
      await admitted(live, 100n).end(7n);
      await live.refresh();
      await admitted(live, 200n).end(0n);
      expect([await charged(), live.isDoubtful]).toEqual([7n, false]);
    },
  );

  it('stays on record once the channel is closing: what it owes is fixed', async () => {
    const { store, live, charged } = await opened();
    store.writes.push('answer is lost');
    store.reads.push('fails');
    await expect(admitted(live, 100n).end(7n)).rejects.toMatchObject(UNAVAILABLE);
    const row = await store.get(live.row.channelId);
    if (row === undefined) throw new Error('gone');
    const closing = {
      ...row,
      version: row.version + 1,
      state: 'closing',
      closing: { reason: 'idle', since: 0 },
    } as const;
    expect(await store.write([{ next: closing, previous: row.version }])).toEqual(['stored']);
    await live.refresh();
    await live.record({ kind: 'closed', transaction: 'TX' });
    expect(await charged()).toBe(7n);
  });
});

describe('a close whose record has no answer', () => {
  const closing = { kind: 'closing', reason: 'seller', since: 5 } as const;

  it('is not put on record again where it is on record', async () => {
    const { store, live } = await opened();
    store.writes.push('answer is lost');
    expect(await live.record(closing)).toMatchObject({ state: 'closing', version: 2 });
    expect([store.written(), (await store.get(live.row.channelId))?.version]).toEqual([2, 2]);
  });

  it('leaves the reason alone that another server has put on record meanwhile', async () => {
    const { store, live } = await opened();
    const next = { ...live.row, version: 2, state: 'closing', closing: { reason: 'idle', since: 1 } } as const;
    await store.write([{ next, previous: 1 }]);
    expect((await live.record(closing)).closing).toEqual({ reason: 'idle', since: 1 });
    expect(store.written()).toBe(3);
  });
});

it('a channel that is read has the money of its row, and no more', async () => {
  const { live } = await opened();
  const money = { balance: 10_000n, authorized: 0n, charged: 0n, reserved: [], seen: [], floor: 0n };
  expect(live.credit).toEqual(money);
  await live.refresh();
  expect([live.credit, live.highest]).toEqual([money, undefined]);
});

it('a new channel is put on record in one write, with its deposit, which is not looked for then', async () => {
  const store = faultyChannelStore();
  const row = channel(1);
  const looked: string[] = [];
  const hasDeposit = async (txId: string) => (looked.push(txId), store.hasDeposit(txId));
  await bookOn({ ...store, hasDeposit }).deposit(row, 'TX');
  expect([looked, store.written(), await store.hasDeposit('TX')]).toEqual([[], 1, true]);
  expect(await store.get(row.channelId)).toMatchObject({ balance: row.balance, version: row.version });
});

it('after a part of a stream was charged its payment id is not free for another voucher', async () => {
  const { live } = await opened();
  const buyer = { paymentId: 'p', fingerprint: 'f', route: 'r' };
  const [free, partly] = [100n, 200n].map((amount) => live.admit({ amount, signature, maximum: 100n, buyer }));
  if (typeof free !== 'object' || typeof partly !== 'object') throw new Error('not admitted');
  await partly.charge(1n);
  partly.release();
  expect(live.amountOf('p')).toBe(200n);
  const { live: other } = await opened();
  const failed = other.admit({ amount: 100n, signature, maximum: 100n, buyer });
  if (typeof failed === 'object') failed.release();
  expect(other.amountOf('p')).toBeUndefined();
});

it('the voucher of a stream whose last part could not be charged pays for no other: a part of it was', async () => {
  const { store, live, charged } = await opened();
  const stream = admitted(live, 100n);
  await stream.charge(10n);
  store.writes.push('fails', 'fails');
  await expect(stream.end(5n)).rejects.toMatchObject(UNAVAILABLE);
  expect(live.admit({ amount: 100n, signature, maximum: 50n })).toBe('channel_busy');
  expect(await charged()).toBe(10n);
});

it('a charge that another server has made already is refused, and nothing is written for it', async () => {
  const { store, live, charged } = await opened();
  const asked = admitted(live, 100n);
  await admitted(await found(bookOn(store), live.row.channelId), 100n).end(9n);
  await live.refresh();
  const before = store.written();
  await expect(asked.end(7n)).rejects.toMatchObject({ code: 'invalid_batch_settlement_avm_channel_busy' });
  expect([await charged(), store.written(), live.row.version]).toEqual([9n, before, 2]);
});

it('vouchers that came here and elsewhere are all known, in whatever order they came', async () => {
  const { store, live } = await opened();
  await admitted(live, 300n).end(1n);
  const other = await found(bookOn(store), live.row.channelId);
  await admitted(other, 200n).end(1n);
  await live.refresh();
  expect(live.credit.seen).toEqual([200n, 300n]);
  expect([200n, 300n].map((amount) => live.admit({ amount, signature, maximum: 1n }))).toEqual([
    'channel_busy',
    'channel_busy',
  ]);
});

describe('a book of channels', () => {
  it('beyond its capacity forgets one that nothing is under way of, and none in use', async () => {
    const store = faultyChannelStore();
    const rows = [1, 2, 3].map((number) => channel(number, { balance: 10_000n }));
    await store.write(rows.map((next) => ({ next })));
    const book = new ChannelBook({ store, now: () => 0, randomBytes, maxIdle: 1 });
    const [one, two, three] = rows.map(({ channelId }) => channelId);
    const used = await found(book, one ?? '');
    const request100 = admitted(used, 100n);
    const idle = await found(book, two ?? '');
    await found(book, three ?? '');
    expect(await found(book, one ?? '')).toBe(used);
    expect(await found(book, two ?? '')).not.toBe(idle);
    await request100.end(5n);
    expect((await store.get(one ?? ''))?.charged).toBe(5n);
  });

  it('forgets none whose close is not on record yet: loaded anew it would take vouchers', async () => {
    const store = faultyChannelStore();
    const rows = [channel(1), channel(2)];
    await store.write(rows.map((next) => ({ next })));
    const book = new ChannelBook({ store, now: () => 0, randomBytes, maxIdle: 1 });
    const [one = '', two = ''] = rows.map(({ channelId }) => channelId);
    const write = store.write.bind(store);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    store.write = async (changes) => {
      await held;
      return write(changes);
    };
    const closing = await found(book, one);
    const recorded = closing.record({ kind: 'closing', reason: 'seller', since: 0 });
    await found(book, two);
    expect(await found(book, one)).toBe(closing);
    goOn();
    expect(await recorded).toMatchObject({ state: 'closing' });
  });

  it('admits nothing by a top-up that could not be put on record', async () => {
    const { store, book, live } = await opened();
    store.writes.push('fails', 'fails');
    const topUp = { ...live.row, balance: 500n };
    await expect(book.deposit(topUp, 'TX')).rejects.toMatchObject(UNAVAILABLE);
    expect([live.row.balance, live.credit.balance]).toEqual([10_000n, 10_000n]);
    await book.deposit(topUp, 'TX');
    expect(live.row.balance).toBe(10_500n);
  });
});

it('a slow request that a thousand others have overtaken is charged all the same', async () => {
  const { live, charged } = await opened(channel(1, { balance: 2_000_000n }));
  const slow = admitted(live, 1n, 1n);
  for (let amount = 2n; amount < 1_400n; amount++) await admitted(live, amount, 1n).end(1n);
  expect(live.row.floor).toBeLessThanOrEqual(1n);
  await slow.end(1n);
  expect(await charged()).toBe(1_399n);
});

it('a voucher below the floor of another server is refused', async () => {
  const row = channel(1, { balance: 10_000n });
  const { store, live } = await opened(row);
  const next = { ...row, version: 2, floor: 500n };
  await store.write([{ next, previous: 1, requests: [request(500n)] }]);
  const overtaken = admitted(live, 400n);
  await expect(overtaken.end(7n)).rejects.toMatchObject({
    code: 'invalid_batch_settlement_avm_cumulative_amount_mismatch',
  });
  expect(live.admit({ amount: 499n, signature, maximum: 1n })).toBe('cumulative_amount_mismatch');
});
