import { describe, expect, it } from 'vitest';
import type { Channel } from '../src/channels/record/channel.ts';
import type { ChannelStore } from '../src/channels/record/channel-store.ts';
import { channel, charging, NOW, request } from './support/channels.ts';

/** Opens a new, empty store, which is closed after the test. */
export type OpenChannelStore = () => Promise<ChannelStore>;

/** What holds for every channel store. */
export function describeChannelStore(name: string, open: OpenChannelStore): void {
  describe(`a channel store ${name}`, () => {
    describeChannels(open);
    describeRequests(open);
  });
}

function describeChannels(open: OpenChannelStore): void {
  const first = channel(1);

  it('knows nothing of a channel, a request or a deposit that was not written', async () => {
    const store = await open();
    expect(await store.get(first.channelId)).toBeUndefined();
    expect(await store.remembered(first.channelId)).toEqual([]);
    expect(await store.request(first.channelId, 1n)).toBeUndefined();
    expect(await store.hasDeposit('TX')).toBe(false);
    expect(await store.unfinished({ limit: 10 })).toEqual([]);
  });

  it('gives back what was written, to the unit', async () => {
    const store = await open();
    const opened = channel(1, { balance: 2n ** 64n - 1n });
    const closed: Channel = {
      ...opened,
      version: 2,
      state: 'closed',
      authorized: 2n ** 64n - 2n,
      signature: new Uint8Array(64).fill(255),
      charged: 2n ** 63n + 1n,
      floor: 2n ** 63n,
      closing: { reason: 'idle', since: NOW + 5 },
      closedBy: 'CLAIM',
      usedAt: NOW + 4,
    };
    expect(await store.write([{ next: opened, deposits: ['TX'] }])).toEqual(['stored']);
    expect(await store.get(opened.channelId)).toEqual(opened);
    expect(await store.hasDeposit('TX')).toBe(true);
    expect(await store.write([{ next: closed, previous: 1 }])).toEqual(['stored']);
    expect(await store.get(opened.channelId)).toEqual(closed);
  });

  it('replaces a channel only from the version that the writer has seen, and keeps nothing of an outdated change', async () => {
    const store = await open();
    const charged = charging(first, 10n);
    await store.write([{ next: first }]);
    expect(await store.write([{ next: first, deposits: ['A'] }])).toEqual(['outdated']);
    expect(await store.write([{ ...charged, previous: 2, deposits: ['B'] }])).toEqual(['outdated']);
    expect(await store.write([{ ...charging(channel(2), 10n), deposits: ['C'] }])).toEqual(['outdated']);
    expect(await Promise.all(['A', 'B', 'C'].map((txId) => store.hasDeposit(txId)))).toEqual([false, false, false]);
    expect(await store.remembered(first.channelId)).toEqual([]);
    expect(await store.get(first.channelId)).toEqual(first);
    expect(await store.write([charged])).toEqual(['stored']);
    expect(await store.get(first.channelId)).toEqual(charged.next);
  });

  it('lets one of many writers win', async () => {
    const store = await open();
    await store.write([{ next: first }]);
    const writes = Array.from({ length: 20 }, (_, index) => store.write([charging(first, BigInt(index + 1))]));
    const outcomes = (await Promise.all(writes)).flat();
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(await store.remembered(first.channelId)).toHaveLength(1);
  });

  it('writes many channels at once, of which one that is outdated fails alone', async () => {
    const store = await open();
    const channels = Array.from({ length: 50 }, (_, number) => channel(number));
    await store.write(channels.map((next) => ({ next })));
    const changes = channels.map((known, number) => ({
      ...charging(known, 10n),
      ...(number === 7 && { previous: 9 }),
      ...(number === 8 && { deposits: ['TX8'] }),
    }));
    const outcomes = await store.write([...changes, { next: channel(50) }]);
    expect(outcomes).toEqual([...channels, channel(50)].map((_, number) => (number === 7 ? 'outdated' : 'stored')));
    const charged = await Promise.all(channels.map(async ({ channelId: id }) => (await store.get(id))?.charged));
    expect(charged).toEqual(channels.map((_, number) => (number === 7 ? 0n : 10n)));
    expect(await store.hasDeposit('TX8')).toBe(true);
  });

  it('counts a deposit once', async () => {
    const store = await open();
    await store.write([{ next: first, deposits: ['A'] }]);
    const toppedUp = { ...first, version: 2, balance: 2_000_000n };
    expect(await store.write([{ next: toppedUp, previous: 1, deposits: ['B', 'A'] }])).toEqual(['outdated']);
    expect(await store.hasDeposit('B')).toBe(false);
    expect((await store.get(first.channelId))?.balance).toBe(1_000_000n);
    expect(await store.write([{ next: toppedUp, previous: 1, deposits: ['B', 'C'] }])).toEqual(['stored']);
    expect([await store.hasDeposit('B'), await store.hasDeposit('C')]).toEqual([true, true]);
  });

  it.each(['closed', 'lost'] as const)('forgets all of a channel that is %s but its row', async (state) => {
    const store = await open();
    const response = { status: 200, headers: [], body: Buffer.from([1]), keptUntil: NOW };
    const [one, other] = [channel(1), channel(2)];
    await store.write([
      { next: one, requests: [request(1n, { response })], deposits: ['A'] },
      { next: other, requests: [request(1n)], deposits: ['C'] },
    ]);
    await store.write([{ next: { ...one, version: 2 }, previous: 1, deposits: ['B'] }]);
    const over = { ...one, version: 3, state };
    expect(await store.write([{ next: over, previous: 2, requests: [request(2n)] }])).toEqual(['stored']);
    expect(await store.get(one.channelId)).toEqual(over);
    expect(await store.remembered(one.channelId)).toEqual([]);
    expect(await Promise.all(['A', 'B', 'C'].map((txId) => store.hasDeposit(txId)))).toEqual([false, false, true]);
    expect(await store.remembered(other.channelId)).toHaveLength(1);
    expect((await store.unfinished({ limit: 10 })).map(({ channelId: id }) => id)).toEqual([other.channelId]);
  });

  it('lists what is neither closed nor lost, page by page in the order of ids', async () => {
    const store = await open();
    const states = ['open', 'closing', 'closed', 'lost'] as const;
    const channels = Array.from({ length: 12 }, (_, number) =>
      channel(number, { state: states[number % 4] ?? 'open' }),
    );
    await store.write(channels.map((next) => ({ next })));
    const expected = channels
      .filter(({ state }) => state === 'open' || state === 'closing')
      .map(({ channelId: id }) => id)
      .toSorted();
    const pages: string[][] = [];
    for (let after: string | undefined; pages.length < 3; after = pages.at(-1)?.at(-1)) {
      const page = await store.unfinished({ ...(after !== undefined && { after }), limit: 4 });
      pages.push(page.map(({ channelId: id }) => id));
    }
    expect(pages).toEqual([expected.slice(0, 4), expected.slice(4), []]);
  });

  it('keeps the claim key that was made first', async () => {
    const store = await open();
    const seeds = await Promise.all([1, 2, 3].map((byte) => store.claimKey(new Uint8Array(32).fill(byte))));
    const kept = [...(await store.claimKey(new Uint8Array(32).fill(4)))];
    expect(seeds.map((seed) => [...seed])).toEqual([kept, kept, kept]);
    expect([1, 2, 3]).toContain(kept[0]);
  });
}

function describeRequests(open: OpenChannelStore): void {
  const first = channel(1);
  const buyer = { paymentId: 'p1', fingerprint: 'f1', route: 'r1' };

  it('remembers requests with their buyers and responses, in the order of amounts', async () => {
    const store = await open();
    const response = {
      status: 200,
      headers: [['a', ['b', 'c']]] as const,
      body: Buffer.from([0, 255]),
      keptUntil: NOW,
    };
    const requests = [
      request(10n, { charge: 3n, buyer, response }),
      request(9n, { owner: 'bb' }),
      request(100n, { buyer }),
    ];
    await store.write([
      { next: channel(2), requests: [request(1n)] },
      { next: first, requests },
    ]);
    const found = await store.request(first.channelId, 10n);
    expect({ ...found, response: { ...found?.response, body: Buffer.from(found?.response?.body ?? []) } }).toEqual(
      requests[0],
    );
    expect(await store.request(first.channelId, 9n)).toEqual(requests[1]);
    expect(await store.request(first.channelId, 100n)).toEqual(requests[2]);
    expect(await store.remembered(first.channelId)).toEqual([
      { amount: 9n, charge: 9n, owner: 'bb' },
      { amount: 10n, charge: 3n, owner: 'aa', paymentId: 'p1' },
      { amount: 100n, charge: 100n, owner: 'aa', paymentId: 'p1' },
    ]);
  });

  it('replaces a request of the same amount, as the charge of a stream grows', async () => {
    const store = await open();
    await store.write([{ next: first, requests: [request(10n, { charge: 1n, buyer })] }]);
    const next = { ...first, version: 2 };
    await store.write([{ next, previous: 1, requests: [request(10n, { charge: 2n }), request(10n, { charge: 3n })] }]);
    expect(await store.remembered(first.channelId)).toEqual([{ amount: 10n, charge: 3n, owner: 'aa' }]);
    expect(await store.request(first.channelId, 10n)).toEqual(request(10n, { charge: 3n }));
  });

  it('forgets requests below the floor, and those of no other channel', async () => {
    const store = await open();
    const requests = [8n, 9n, 10n, 11n].map((amount) => request(amount));
    await store.write([
      { next: first, requests },
      { next: channel(2), requests },
    ]);
    const next = { ...first, version: 2, floor: 10n };
    await store.write([{ next, previous: 1, requests: [request(7n), request(12n)] }]);
    expect((await store.remembered(first.channelId)).map(({ amount }) => amount)).toEqual([10n, 11n, 12n]);
    expect(await store.remembered(channel(2).channelId)).toHaveLength(4);
  });

  it('forgets responses at the end of their time, and no request', async () => {
    const store = await open();
    const kept = (keptUntil: number) => ({ status: 200, headers: [], body: Buffer.from([1]), keptUntil });
    const requests = [5, 6, 7].map((until) => request(BigInt(until), { buyer, response: kept(NOW + until) }));
    await store.write([{ next: first, requests: [request(1n), ...requests] }]);
    await store.prune(NOW + 6);
    const found = await Promise.all([1n, 5n, 6n, 7n].map((amount) => store.request(first.channelId, amount)));
    expect(found.map((one) => [one?.amount, one?.buyer, one?.response?.keptUntil])).toEqual([
      [1n, undefined, undefined],
      [5n, buyer, undefined],
      [6n, buyer, undefined],
      [7n, buyer, NOW + 7],
    ]);
    expect(await store.remembered(first.channelId)).toHaveLength(4);
  });
}
