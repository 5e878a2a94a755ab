import { expect, it } from 'vitest';
import { GroupCommit } from '../../src/channels/record/group-commit.ts';
import { createMemoryChannelStore } from '../../src/channels/stores/memory-channel-store.ts';
import { channel } from '../support/channels.ts';

it('of two writes that have failed before, one that fails again does not take the other down', async () => {
  const store = createMemoryChannelStore();
  const rows = [channel(1), channel(2)];
  const write = store.write.bind(store);
  const commit = new GroupCommit({
    write: async (changes) => {
      if (changes.some(({ next }) => next.channelId === rows[0]?.channelId)) throw new Error('no room');
      return write(changes);
    },
  });
  const outcomes = rows.map(
    (next) =>
      new Promise((tell) =>
        commit.submit({ isSuspect: true, change: () => ({ next }), written: tell, failed: () => tell('failed') }),
      ),
  );
  expect(await Promise.all(outcomes)).toEqual(['failed', 'stored']);
});

it('four writes are under way at once; what comes meanwhile goes together with the next one', async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const commit = new GroupCommit({
    write: async (changes) => {
      begun.push(changes.length);
      await new Promise<void>((resolve) => ends.push(resolve));
      return changes.map(() => 'stored');
    },
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const written: number[] = [];
  for (let number = 0; number < 7; number++) {
    const next = channel(number);
    const change = () => ({ next });
    commit.submit({ isSuspect: false, change, written: () => written.push(number), failed: () => undefined });
    await turn();
  }
  expect(begun).toEqual([1, 1, 1, 1]);
  ends.shift()?.();
  await expect.poll(() => begun).toEqual([1, 1, 1, 1, 3]);
  for (const end of ends) end();
  await expect.poll(() => written).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

it('a change of which the store tells no outcome has failed, and one that wants nothing any more is not written', async () => {
  let writes = 0;
  const commit = new GroupCommit({ write: async () => (writes++, []) });
  const outcome = await new Promise((tell) => {
    commit.submit({ isSuspect: false, change: () => undefined, written: tell, failed: tell });
    commit.submit({ isSuspect: false, change: () => ({ next: channel(1) }), written: tell, failed: tell });
  });
  expect([outcome instanceof Error, writes]).toEqual([true, 1]);
});
