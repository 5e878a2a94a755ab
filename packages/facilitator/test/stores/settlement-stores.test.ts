import { mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemorySettlementStore, createSqliteSettlementStore } from '../../src/index.ts';
import { describeCatalogue } from './catalogue-contract.ts';
import { describeChannelRows } from './channel-rows-contract.ts';
import { describeLedger } from './ledger-contract.ts';
import { describeSettlementStore, settlement } from './settlement-store-contract.ts';

let folder: string;
let files = 0;
const newFile = (): string => join(folder, `settlements-${files++}.sqlite`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-store-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describeSettlementStore('memory', async () => createMemorySettlementStore());
describeSettlementStore('a SQLite file', async () => createSqliteSettlementStore({ path: newFile() }));

describeLedger('a SQLite file', async (now) => createSqliteSettlementStore({ path: newFile(), now }));

describeChannelRows('a SQLite file', async () => createSqliteSettlementStore({ path: newFile() }));

describeCatalogue('a SQLite file', async () => createSqliteSettlementStore({ path: newFile() }));

describe('the store in memory', () => {
  it('is there before it is opened and after it is closed, so that facilitators can share it', async () => {
    const store = createMemorySettlementStore();
    await store.record(settlement('A'), { owner: 'us', leaseMs: 60_000 });
    await store.close();
    await store.open();
    expect(await store.find('A')).toMatchObject(settlement('A'));
  });
});

describe('the SQLite store', () => {
  it('keeps its rows when it is closed and opened again, and gives unfinished ones to whoever opens it', async () => {
    const path = newFile();
    const first = createSqliteSettlementStore({ path });
    await first.open();
    await first.record(settlement('A'), { owner: 'us', leaseMs: 60_000 });
    await first.close();
    const second = createSqliteSettlementStore({ path, sync: 'full' });
    await second.open();
    expect(await second.find('A')).toMatchObject(settlement('A'));
    const networks = [settlement('A').network];
    expect(await second.takeOver({ owner: 'next', leaseMs: 60_000, networks })).toHaveLength(1);
    await second.close();
  });

  it('answers nothing any more from the moment it closes, and can be opened again', async () => {
    const store = createSqliteSettlementStore({ path: newFile() });
    await store.open();
    await store.record(settlement('A'), { owner: 'us', leaseMs: 60_000 });
    const closing = store.close();
    await expect(store.find('A')).rejects.toMatchObject({ code: 'store_unavailable' });
    await closing;
    await store.open();
    expect(await store.find('A')).toMatchObject(settlement('A'));
    await store.close();
  });

  it('writes to the disk when it is asked whether it takes writes, because only that shows that there is room', async () => {
    const path = newFile();
    const store = createSqliteSettlementStore({ path });
    await store.open();
    const id = await store.id();
    await store.checkWritable();
    const { size: before } = await stat(`${path}-wal`);
    await store.checkWritable();
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(before);
    expect(await store.id()).toBe(id);
    await store.close();
  });

  it('opens a file that a link leads to', async () => {
    const path = newFile();
    const file = createSqliteSettlementStore({ path });
    await file.open();
    await file.record(settlement('A'), { owner: 'us', leaseMs: 60_000 });
    await file.close();
    await symlink(path, `${path}-link`);
    const store = createSqliteSettlementStore({ path: `${path}-link` });
    await store.open();
    expect(await store.find('A')).toMatchObject(settlement('A'));
    await store.close();
  });

  it('belongs to one process also where a link led to no file yet', async () => {
    const path = newFile();
    await symlink(path, `${path}-link`);
    const [first, other] = [`${path}-link`, path].map((one) => createSqliteSettlementStore({ path: one }));
    await first?.open();
    await expect(other?.open()).rejects.toMatchObject({ code: 'store_unavailable' });
    await first?.close();
  });

  it('gives an owner the rows that it has lost track of, also after the clock was set back', async () => {
    let now = 1_000_000;
    const store = createSqliteSettlementStore({ path: newFile(), now: () => now });
    await store.open();
    const us = { owner: 'us', leaseMs: 60_000 };
    await store.record(settlement('A'), us);
    now -= 900_000;
    const networks = [settlement('A').network];
    expect(await store.takeOver({ ...us, networks, withOwn: true })).toMatchObject([{ txId: 'A' }]);
    await store.close();
  });

  it('counts what another store spent while it was closed', async () => {
    const path = newFile();
    const [first, other] = [createSqliteSettlementStore({ path }), createSqliteSettlementStore({ path })];
    const us = { owner: 'us', leaseMs: 60_000 };
    const asked = { scope: { payer: 'PAYER' }, microAlgos: 5_000n, since: 0 };
    const spend = (store: typeof first, txId: string) =>
      store.record(settlement(txId, { terms: 'anyone', sponsoredFee: 2_000n }), { ...us, budgets: [asked] });
    for (const [store, txId] of [
      [first, 'A'],
      [other, 'B'],
    ] as const) {
      await store.open();
      expect(await spend(store, txId)).toMatchObject({ outcome: 'recorded' });
      await store.close();
    }
    await first.open();
    expect(await spend(first, 'C')).toEqual({ outcome: 'over_budget' });
    await first.close();
  });

  it('takes over a file of the first version of its schema, with its rows and its highest round', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const path = newFile();
    const store = createSqliteSettlementStore({ path });
    await store.open();
    await store.record(settlement('A', { round: 120n }), { owner: 'us', leaseMs: 60_000 });
    await store.close();
    const file = new DatabaseSync(path);
    file.exec(`
      DROP INDEX unfinished_settlements;
      CREATE INDEX unfinished_settlements ON settlements (state) WHERE state IN ('recorded', 'submitted', 'rejected');
      DROP INDEX spending_by_terms;
      DROP INDEX spending_by_pay_to;
      DROP INDEX spending_by_payer;
      DROP INDEX refused_spending;
      CREATE INDEX budgeted_settlements ON settlements (recorded_at) WHERE budgeted_fee > 0;
      ALTER TABLE settlements DROP COLUMN terms;
      ALTER TABLE settlements DROP COLUMN advance;
      DROP INDEX channel_moves;
      DROP INDEX open_channels;
      DROP INDEX expiring_channels;
      ALTER TABLE settlements DROP COLUMN channel_id;
      ALTER TABLE settlements DROP COLUMN channel_move;
      ALTER TABLE settlements DROP COLUMN channel_config;
      ALTER TABLE settlements DROP COLUMN claim_authorizer;
      ALTER TABLE settlements DROP COLUMN channel_expiry;
      ALTER TABLE settlements DROP COLUMN channel_open;
      DROP TABLE catalogue;
      ALTER TABLE store DROP COLUMN oldest_reader;
      DROP INDEX held_leases;
      ALTER TABLE settlements DROP COLUMN lease;
      ALTER TABLE settlements DROP COLUMN fee_held;
      PRAGMA user_version = 1;
    `);
    file.close();
    await store.open();
    const networks = [settlement('A').network];
    expect(await store.takeOver({ owner: 'next', leaseMs: 60_000, networks })).toMatchObject([{ txId: 'A' }]);
    await store.record(settlement('B', { round: 100n }), { owner: 'next', leaseMs: 60_000 });
    expect(await store.find('B')).toMatchObject({ round: 120n });
    await store.close();
  });

  it('counts the channels of a file of the fifth version as advances', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const path = newFile();
    const store = createSqliteSettlementStore({ path });
    const of = { terms: 'listed', sponsoredFee: 2_000n } as const;
    await store.open();
    await store.record(settlement('PAYMENT', of), { owner: 'us', leaseMs: 60_000 });
    await store.record(settlement('CLOSE', { ...of, channel: { kind: 'close', id: 'C' } }), {
      owner: 'us',
      leaseMs: 0,
    });
    await store.close();
    const file = new DatabaseSync(path);
    for (const index of ['spending_by_terms', 'spending_by_pay_to', 'spending_by_payer', 'refused_spending'])
      file.exec(`DROP INDEX ${index}; CREATE INDEX ${index} ON settlements (recorded_at)`);
    file.exec('ALTER TABLE settlements DROP COLUMN advance; ALTER TABLE store DROP COLUMN oldest_reader');
    file.exec('DROP INDEX held_leases; ALTER TABLE settlements DROP COLUMN lease');
    file.exec('ALTER TABLE settlements DROP COLUMN fee_held; PRAGMA user_version = 5');
    file.close();
    await store.open();
    const left = (advance: boolean) =>
      store.budgetLeft(settlement('A').network, { scope: { advance }, microAlgos: 9_000n, since: 0 }, 9_000n);
    expect([await left(true), await left(false)]).toEqual([7_000n, 7_000n]);
    expect(await store.find('CLOSE')).toMatchObject({ advance: true });
    await store.close();
  });

  it('refuses a file that another store has open, and says what to do', async () => {
    const path = newFile();
    const first = createSqliteSettlementStore({ path });
    await first.open();
    const second = createSqliteSettlementStore({ path });
    await expect(second.open()).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(second.open()).rejects.toThrow(/another process uses it.*DATABASE_URL/);
    await first.close();
    await second.open();
    await second.close();
  });

  it('refuses a file that is no store, or of another version, and one it can’t create', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const path = newFile();
    const other = new DatabaseSync(path);
    other.exec('PRAGMA user_version = 99');
    other.close();
    await expect(createSqliteSettlementStore({ path }).open()).rejects.toMatchObject({ code: 'store_unavailable' });
    const nowhere = join(folder, 'no', 'such', 'folder.sqlite');
    await expect(createSqliteSettlementStore({ path: nowhere }).open()).rejects.toMatchObject({
      code: 'store_unavailable',
    });
  });

  it.each(['a new file', 'a file that everybody could read'])('keeps %s and its log to its owner', async (which) => {
    const path = newFile();
    if (which !== 'a new file') await writeFile(path, '', { mode: 0o644 });
    const store = createSqliteSettlementStore({ path });
    await store.open();
    await store.record(settlement('A'), { owner: 'us', leaseMs: 60_000 });
    const own = (await readdir(folder)).filter((name) => join(folder, name).startsWith(path));
    expect(own.length).toBeGreaterThan(1);
    for (const file of own) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    await store.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('does nothing before it is open', async () => {
    await expect(createSqliteSettlementStore({ path: newFile() }).find('A')).rejects.toMatchObject({
      code: 'store_unavailable',
    });
  });
});
