// Files that did not come into place take room that a full disk has for the log.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChainLog } from '../../src/durable/chain-log.ts';
import { SnapshotFile } from '../../src/durable/snapshot-file.ts';
import { WALL_CLOCK } from '../../src/production/dev-clock.ts';
import { testChain } from '../chain-fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devnode-unfinished-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a log that is not finished is removed', () => {
  const log = new ChainLog(join(folder, 'chain.log'));
  const fail = (): never => {
    throw new Error('no space left');
  };
  expect(() => log.rewrite({ chain: testChain(), clock: WALL_CLOCK }, fail)).toThrow('no space left');
  expect(readdirSync(folder)).toEqual([]);
});

test('a snapshot that is stale before it is in place is removed, and the one before stays', async () => {
  const snapshot = new SnapshotFile(join(folder, 'snapshot'));
  await snapshot.replace(Buffer.from('one'), () => false);
  await snapshot.replace(Buffer.from('two'), () => true);
  expect(readdirSync(folder)).toEqual(['snapshot']);
  expect(readFileSync(snapshot.path, 'utf8')).toBe('one');
});
