import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteLedger, createSqliteSettlementStore } from '../../src/index.ts';
import { MIGRATIONS, OLDEST_READER_SINCE } from '../../src/stores/sqlite-schema.ts';
import { type Column, whatStrands } from './schema-changes.ts';
import { describeSettlementStore, settlement } from './settlement-store-contract.ts';

let folder: string;
let files = 0;
const newFile = (): string => join(folder, `settlements-${files++}.sqlite`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-schema-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** What a later release may do to a schema. */
const ADDITIONS = `
  ALTER TABLE settlements ADD COLUMN later TEXT;
  ALTER TABLE settlements ADD COLUMN later_count INTEGER NOT NULL DEFAULT 7;
  CREATE TABLE later (name TEXT PRIMARY KEY) STRICT;
  CREATE INDEX settlements_later ON settlements (later);
`;

/** A store as a later release leaves it behind. */
async function afterLaterRelease(statements = ADDITIONS): Promise<string> {
  const path = newFile();
  const store = createSqliteSettlementStore({ path });
  await store.open();
  await store.close();
  const file = new DatabaseSync(path);
  file.exec(`${statements} PRAGMA user_version = ${MIGRATIONS.length + 1};`);
  file.close();
  return path;
}

describeSettlementStore('a SQLite file to which a later release has added', async () =>
  createSqliteSettlementStore({ path: await afterLaterRelease() }),
);

describe('a SQLite store of a later release', () => {
  it('stays of its version, though an older program has worked on it', async () => {
    const path = await afterLaterRelease();
    const store = createSqliteSettlementStore({ path });
    await store.open();
    await store.record(settlement('A'), { owner: 'us', leaseMs: 60_000 });
    await store.close();
    const file = new DatabaseSync(path);
    expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length + 1 });
    expect(file.prepare('SELECT later, later_count FROM settlements').all()).toEqual([{ later: null, later_count: 7 }]);
    file.close();
    const ledger = openSqliteLedger(path);
    expect(await ledger.list({ limit: 2 })).toMatchObject([{ txId: 'A' }]);
    ledger.close();
  });

  it('is refused if it says that older programs can’t work with it, and says which can', async () => {
    const next = MIGRATIONS.length + 1;
    const path = await afterLaterRelease(`${ADDITIONS} UPDATE store SET oldest_reader = ${next};`);
    await expect(createSqliteSettlementStore({ path }).open()).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(
        `schema ${next} is for programs that know schema ${next} or a later one, this one knows ${MIGRATIONS.length}`,
      ),
    });
  });
});

describe('what older programs can’t work with', () => {
  const schemaOf = (file: DatabaseSync): Column[] =>
    file
      .prepare(
        `SELECT t.name AS "table", c.name, c.type, c."notnull" AS required, c.dflt_value IS NOT NULL AS "hasDefault"
         FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'
         UNION ALL SELECT tbl_name, name, 'unique', 1, 0 FROM sqlite_schema
         WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE%'`,
      )
      .all()
      .map(({ table, name, type, required, hasDefault }) => ({
        table: String(table),
        name: String(name),
        type: String(type),
        isOptional: required === 0 || hasDefault === 1,
      }));

  it('is in no migration of SQLite that does not say so', () => {
    const file = new DatabaseSync(':memory:');
    MIGRATIONS.forEach((migration, index) => {
      const before = schemaOf(file);
      file.exec(migration);
      const version = index + 1;
      if (version <= OLDEST_READER_SINCE) return;
      const isTold = file.prepare('SELECT oldest_reader FROM store').get()?.['oldest_reader'] === version;
      expect([version, isTold ? [] : whatStrands(before, schemaOf(file))]).toEqual([version, []]);
    });
    file.close();
  });

  it.each([
    [ADDITIONS, []],
    ['ALTER TABLE settlements DROP COLUMN reason', ['settlements.reason']],
    ['ALTER TABLE settlements RENAME COLUMN owner TO works', ['settlements.owner', 'settlements.works']],
    ['DROP TABLE rounds', ['rounds.network', 'rounds.round']],
    [`ALTER TABLE store ADD COLUMN x TEXT NOT NULL DEFAULT ''`, []],
    ['CREATE UNIQUE INDEX one_payer ON settlements (payer)', ['settlements.one_payer']],
    ['ALTER TABLE rounds RENAME TO highest; CREATE TABLE rounds (network TEXT, round TEXT)', ['rounds.round']],
  ])('is seen in a migration: %s', (migration, stranded) => {
    const file = new DatabaseSync(':memory:');
    file.exec(MIGRATIONS.join(''));
    const before = schemaOf(file);
    file.exec(migration);
    expect(whatStrands(before, schemaOf(file)).toSorted()).toEqual(stranded);
    file.close();
  });
});
