import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backupSqliteStore, openSqliteLedger, createSqliteSettlementStore } from '../../src/index.ts';
import { settlement } from './settlement-store-contract.ts';

let folder: string;
let files = 0;
const newFile = (): string => join(folder, `store-${files++}.sqlite`);
const us = { owner: 'us', leaseMs: 60_000 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-readers-'));
});

afterAll(() => rm(folder, { recursive: true }));

it('a store that is in use can be read by others, who see what was written until then', async () => {
  const path = newFile();
  const store = createSqliteSettlementStore({ path });
  await store.open();
  await store.record(settlement('A'), us);
  const ledger = openSqliteLedger(path);
  expect((await ledger.list({ limit: 10 })).map(({ txId }) => txId)).toEqual(['A']);
  await store.record(settlement('B'), us);
  expect((await ledger.list({ limit: 10 })).map(({ txId }) => txId)).toEqual(['B', 'A']);
  ledger.close();
  await store.close();
});

it('a reader that takes its time keeps nobody from writing', async () => {
  const path = newFile();
  const store = createSqliteSettlementStore({ path });
  await store.open();
  await store.record(settlement('A'), us);
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  const count = () => reader.prepare('SELECT COUNT(*) AS count FROM settlements').get()?.['count'];
  expect(count()).toBe(1);
  for (let index = 0; index < 200; index += 1) await store.record(settlement(`B${index}`), us);
  expect(count()).toBe(1);
  reader.exec('COMMIT');
  expect(count()).toBe(201);
  reader.close();
  await store.close();
});

it('a store stays in use when it is opened again in its process: no other program may take its log away', async () => {
  const path = newFile();
  const store = createSqliteSettlementStore({ path });
  await store.open();
  await store.record(settlement('A'), us);
  await expect(createSqliteSettlementStore({ path }).open()).rejects.toMatchObject({ code: 'store_unavailable' });
  const program = `const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(new URL('file:${path}?vfs=unix-excl')).exec('UPDATE store SET id = id');`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('database is locked')]);
  await store.close();
});

it('a closed store can be read', async () => {
  const path = newFile();
  const store = createSqliteSettlementStore({ path });
  await store.open();
  await store.record(settlement('A'), us);
  await store.close();
  const ledger = openSqliteLedger(path);
  expect(await ledger.list({ limit: 10 })).toHaveLength(1);
  ledger.close();
});

it('a store that is in use can be copied, and the copy is a store of what was there, open rows and round included', async () => {
  const path = newFile();
  const copy = newFile();
  const store = createSqliteSettlementStore({ path });
  await store.open();
  await store.record(settlement('A', { round: 120n }), us);
  await store.change('A', 'us', { to: 'submitted' });
  backupSqliteStore(path, copy);
  await store.record(settlement('B'), us);
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  const restored = createSqliteSettlementStore({ path: copy });
  await restored.open();
  expect(await restored.id()).toBe(await store.id());
  expect(await restored.find('A')).toMatchObject({ state: 'submitted', group: expect.anything() });
  expect(await restored.find('B')).toBeUndefined();
  await restored.record(settlement('C', { round: 1n }), us);
  expect(await restored.find('C')).toMatchObject({ round: 120n });
  await restored.close();
  await store.close();
});

it('a backup writes over no file, and leaves none behind when it fails', async () => {
  const path = newFile();
  const store = createSqliteSettlementStore({ path });
  await store.open();
  const there = newFile();
  await writeFile(there, 'precious');
  expect(() => backupSqliteStore(path, there)).toThrow(expect.objectContaining({ code: 'store_unavailable' }));
  expect(await readFile(there, 'utf8')).toBe('precious');
  const target = newFile();
  await writeFile(join(folder, 'no-store'), 'this is no database at all, though it is long enough to be one');
  expect(() => backupSqliteStore(join(folder, 'no-store'), target)).toThrow(/not a database/);
  await expect(stat(target)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(() => backupSqliteStore(join(folder, 'missing'), target)).toThrow(/unable to open/);
  await expect(stat(target)).rejects.toMatchObject({ code: 'ENOENT' });
  await store.close();
});
