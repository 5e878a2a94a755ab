import { expect, it } from 'vitest';
import { ChannelRows } from '../../src/channels/stores/channel-rows.ts';
import type { Value, VersionedRows } from '../../src/stores/versioned-rows.ts';

const TABLES = { requests: 'requests', deposits: 'deposits', claimKey: 'claim_key' };

/** Rows of a slow server, which does this, and answers a statement only afterwards. */
function rowsThat(does: { run?: (values: readonly Value[]) => void; found?: () => object[] }) {
  const answered = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  const rows = {
    table: { name: 'channels', key: 'channel_id' },
    run: (_sql: string, values: readonly Value[] = []) => answered(() => (does.run?.(values), 1)),
    find: async () => does.found?.() ?? [],
  };
  return new ChannelRows(rows as unknown as VersionedRows, TABLES);
}

it('the claim key is read once the one that was made may be in its row', async () => {
  let kept: readonly Value[] = [];
  const rows = rowsThat({ run: (values) => (kept = values), found: () => kept.map((seed) => ({ seed })) });
  const made = new Uint8Array(32).fill(1);
  expect(await rows.claimKey(made)).toBe(made);
  expect(kept).toEqual([made]);
  const other = rowsThat({ found: () => [{ seed: new Uint8Array(32).fill(2) }] });
  expect(await other.claimKey(made)).toEqual(new Uint8Array(32).fill(2));
});

it('a failure of the database reaches whoever has responses forgotten, or asks for the claim key', async () => {
  const error = new Error('the database is gone');
  const rows = rowsThat({
    run: () => {
      throw error;
    },
  });
  await expect(rows.prune(5)).rejects.toBe(error);
  await expect(rows.claimKey(new Uint8Array(32))).rejects.toBe(error);
});
