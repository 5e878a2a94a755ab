import { X402Error } from '@avm402/core/errors';
import { describe, expect, it, vi } from 'vitest';
import type { Channel } from '../../src/channels/record/channel.ts';
import { Sweeper, type SweeperContext } from '../../src/channels/closing/sweeper.ts';
import { unfinishedChannels } from '../../src/channels/closing/unfinished-channels.ts';
import type { PaymentEvent } from '../../src/payment-event.ts';
import { createMemoryChannelStore } from '../../src/index.ts';
import { channel, NOW } from '../support/channels.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Looks at these channels, and tells which it closes, and why. */
async function sweeping(rows: readonly Channel[], context: Partial<SweeperContext> = {}) {
  const store = createMemoryChannelStore();
  await store.write(rows.map((next) => ({ next })));
  const closed: [channelId: string, reason: string][] = [];
  const sweeper = new Sweeper({
    store,
    book: { settleDoubts: async () => {} },
    closer: {
      close: (channelId, reason) => {
        closed.push([channelId, reason]);
        return Promise.reject(new Error('not now'));
      },
    },
    rounds: { isExpiring: () => false },
    askRound: async () => {},
    now: () => NOW,
    report: () => {},
    ...context,
  });
  return { sweeper, closed };
}

/** Why a channel is closed; undefined: it stays open. */
async function reasonOf(row: Channel, context: Partial<SweeperContext> = {}): Promise<string | undefined> {
  const { sweeper, closed } = await sweeping([row], context);
  await sweeper.sweep();
  await sweeper.stop();
  return closed[0]?.[1];
}

/** Channels with the next expiry at some place among them. */
function expiring(count: number): Channel[] {
  return Array.from({ length: count }, (_, number) => {
    const { config, ...row } = channel(number);
    return { ...row, config: { ...config, expiry: 1_000n + ((BigInt(number) * 7n) % BigInt(count)) } };
  });
}

// Here first: a list without an end must fail, not hang.
it.each([
  ['none', 0, 1],
  ['as many as a page holds', 500, 2],
  ['one more', 501, 2],
])('unfinished channels are all read, and once, where there are %s', async (_name, count, pages) => {
  const store = createMemoryChannelStore();
  // A configuration is slow to hash: the channels differ by their ids only.
  const row = channel(1);
  await store.write(Array.from({ length: count }, (_, number) => ({ next: { ...row, channelId: `${number}` } })));
  let asked = 0;
  const limited: typeof store.unfinished = (page) => {
    if (++asked > pages) throw new Error('there is nothing more to ask for');
    return store.unfinished(page);
  };
  const read = new Set<string>();
  for await (const page of unfinishedChannels({ unfinished: limited }, () => undefined)) {
    for (const { channelId } of page) read.add(channelId);
  }
  expect([read.size, asked]).toEqual([count, pages]);
});

it('the channels that are the next to expire are closed first, whatever their ids and those that can’t be closed', async () => {
  const rows = expiring(40);
  const { sweeper, closed } = await sweeping(rows, { rounds: { isExpiring: () => true } });
  await sweeper.sweep();
  await sweeper.stop();
  const expiryOf = new Map(rows.map(({ channelId, config }) => [channelId, config.expiry]));
  expect(closed.map(([id]) => expiryOf.get(id))).toEqual(
    Array.from({ length: 40 }, (_, index) => 1_000n + BigInt(index)),
  );
});

it.each<[string, (sweeper: Sweeper) => Promise<void>]>([
  ['of channels that are due', (sweeper) => sweeper.sweep()],
  ['of all channels at shutdown', (sweeper) => sweeper.closeAll('shutdown')],
])('sixteen closes %s are under way at once, and a seller that stops waits for all', async (_name, begin) => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let [underWay, most, done] = [0, 0, 0];
  const close = async (): Promise<Channel> => {
    most = Math.max(most, ++underWay);
    await held;
    underWay--;
    done++;
    return channel(1);
  };
  const { sweeper } = await sweeping(expiring(40), { rounds: { isExpiring: () => true }, closer: { close } });
  const begun = begin(sweeper);
  await expect.poll(() => underWay).toBe(16);
  const stopped = Promise.all([sweeper.stop(), begun]).then(() => done);
  release();
  expect([await stopped, most]).toEqual([40, 16]);
});

it.each<[string, string | undefined, Partial<Channel>, Partial<SweeperContext>]>([
  ['a day', 'idle', { usedAt: NOW - DAY_MS }, {}],
  ['less than a day', undefined, { usedAt: NOW - DAY_MS + 1 }, {}],
  ['as long as its seller says', 'idle', { usedAt: NOW - 5 }, { idleMs: 5 }],
])('a channel that was idle for %s is closed as: %s', async (_name, reason, change, context) => {
  expect(await reasonOf(channel(1, change), context)).toBe(reason);
});

it('a channel is closed for the first reason that there is: the one on record, its expiry, its debt', async () => {
  const row = channel(1, { charged: 100n, usedAt: NOW - DAY_MS });
  const closing = { ...row, state: 'closing', closing: { reason: 'payer', since: NOW } } as const;
  const rounds = { isExpiring: () => true };
  expect(await reasonOf(closing, { rounds, maxOwed: 100n })).toBe('payer');
  expect(await reasonOf(row, { rounds, maxOwed: 100n })).toBe('expiry');
  expect(await reasonOf(row, { maxOwed: 100n })).toBe('risk');
  expect(await reasonOf(row, { maxOwed: 101n })).toBe('idle');
});

describe('a sweep', () => {
  it('closes what is due before it forgets what was kept, and also if the store can’t forget', async () => {
    const events: PaymentEvent[] = [];
    const row = channel(1, { usedAt: 0 });
    const store = createMemoryChannelStore();
    await store.write([{ next: row }]);
    const error = new Error('the statement took too long');
    const { sweeper, closed } = await sweeping([], {
      store: { unfinished: (page) => store.unfinished(page), prune: () => Promise.reject(error) },
      report: (event) => events.push(event),
    });
    await sweeper.sweep();
    await sweeper.stop();
    expect(closed).toEqual([[row.channelId, 'idle']]);
    expect(events.at(-1)).toEqual({ type: 'failed', route: 'channels', error });
  });

  it('first settles doubts, then looks at the channels, and forgets what was kept until now', async () => {
    const store = createMemoryChannelStore();
    const happened: unknown[] = [];
    const { sweeper } = await sweeping([], {
      book: {
        settleDoubts: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          happened.push('doubts are settled');
        },
      },
      store: {
        prune: async (now) => void happened.push(now),
        unfinished: async (page) => (happened.push('read'), store.unfinished(page)),
      },
    });
    await sweeper.sweep();
    await sweeper.stop();
    expect(happened).toEqual(['doubts are settled', 'read', NOW]);
  });

  it('that is asked for while one is under way is that one, and is made again later', async () => {
    let looks = 0;
    const { sweeper } = await sweeping([], { book: { settleDoubts: async () => void looks++ } });
    await Promise.all([sweeper.sweep(), sweeper.sweep()]);
    expect(looks).toBe(1);
    await sweeper.sweep();
    await sweeper.stop();
    expect(looks).toBe(2);
  });

  it('reports what it fails at, and goes on with the next', async () => {
    const events: PaymentEvent[] = [];
    const error = new Error('the disk is gone');
    const errors: unknown[] = [error, new X402Error('channel_not_closed'), new X402Error('store_unavailable')];
    const row = channel(1, { usedAt: 0 });
    const { sweeper } = await sweeping([row], {
      report: (event) => events.push(event),
      book: { settleDoubts: async () => (events.length === 0 ? Promise.reject(error) : undefined) },
      closer: { close: () => Promise.reject(errors[events.length - 1]) },
    });
    for (let count = 0; count < 4; count++) await sweeper.sweep();
    await sweeper.stop();
    const about = { route: 'channels', type: 'failed' };
    const { channelId } = row;
    const { payer } = row.config;
    expect(events).toEqual([
      { ...about, error },
      { ...about, code: 'channel_not_closed', channelId, payer, error },
      { ...about, code: 'channel_not_closed', channelId, payer, error: errors[1] },
      { ...about, code: 'store_unavailable', channelId, payer, error: errors[2] },
    ]);
  });

  it.each([
    ['15 seconds', {}, 15_000],
    ['as long as its seller says', { sweepMs: 30 }, 30],
  ])('is made twice soon after the start, then every %s, until the seller stops', async (_name, options, ms) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      let looks = 0;
      const { sweeper } = await sweeping([], { book: { settleDoubts: async () => void looks++ }, ...options });
      const after = async (time: number): Promise<number> => {
        await vi.advanceTimersByTimeAsync(time);
        await new Promise((resolve) => setImmediate(resolve));
        return looks;
      };
      const soon = ms / 15;
      expect([await after(soon - 1), await after(1)]).toEqual([0, 2]);
      expect([await after(ms - soon - 1), await after(1), await after(ms)]).toEqual([2, 3, 4]);
      await sweeper.stop();
      expect([await after(2 * ms), vi.getTimerCount()]).toEqual([4, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps no program alive', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const { sweeper } = await sweeping([], { sweepMs: 1_000_000 });
    expect(timers()).toBe(before);
    await sweeper.stop();
  });
});
