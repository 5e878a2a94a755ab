import { expect, it } from 'vitest';
import type { Channel } from '../../src/channels/channel.ts';
import { Sweeper } from '../../src/channels/sweeper.ts';
import { createMemoryChannelStore } from '../../src/index.ts';
import { channel, NOW } from '../support/channels.ts';

/** More than are closed side by side. */
const CHANNELS = 40n;

it('the channels that are the next to expire are closed first, whatever their ids and those that can’t be closed', async () => {
  const store = createMemoryChannelStore();
  const rows: Channel[] = [];
  for (let number = 0n; number < CHANNELS; number++) {
    const { config, ...row } = channel(Number(number));
    rows.push({ ...row, config: { ...config, expiry: 1_000n + ((number * 7n) % CHANNELS) } });
  }
  await store.write(rows.map((next) => ({ next })));
  const closed: string[] = [];
  const sweeper = new Sweeper({
    store,
    sweepMs: 2 ** 30,
    book: { settleDoubts: async () => {} },
    closer: {
      close: (channelId) => {
        closed.push(channelId);
        return Promise.reject(new Error('not now'));
      },
    },
    rounds: { isExpiring: () => true },
    now: () => NOW,
    report: () => {},
  });
  await sweeper.sweep();
  await sweeper.stop();
  const expiryOf = new Map(rows.map(({ channelId, config }) => [channelId, config.expiry]));
  expect(closed.map((id) => expiryOf.get(id))).toEqual(
    Array.from({ length: Number(CHANNELS) }, (_, index) => 1_000n + BigInt(index)),
  );
});
