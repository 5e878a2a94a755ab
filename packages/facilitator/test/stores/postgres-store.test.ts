import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { gateTo } from '@avm402/testkit/postgres-gate';
import { createPostgresSettlementStore } from '../../src/index.ts';
import { checkConfig } from '../../src/operate/check.ts';
import { describeBudgets } from './budgets-contract.ts';
import { describeCatalogue } from './catalogue-contract.ts';
import { describeChannelRows } from './channel-rows-contract.ts';
import { describeLedger } from './ledger-contract.ts';
import { type Column, whatStrands } from './schema-changes.ts';
import { MIGRATIONS, OLDEST_READER_SINCE } from '../../src/stores/postgres-schema.ts';
import { describeSettlementStore, settlement } from './settlement-store-contract.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

afterEach(() => server.takeBack());

afterAll(async () => {
  await server.stop();
});

/** Key of the advisory lock of those who spend. */
const SPENDING_LOCK = 0x4156_4d34;

/** Key of the advisory lock of those who make tables. */
const MIGRATION_LOCK = 3_853_314_791_062_309_107n;

/** Finds who waits for an advisory lock in this database. */
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;

/** What a later release may do to the tables. */
const LATER_ADDITIONS = `
  ALTER TABLE avm402_settlements ADD COLUMN later text, ADD COLUMN later_count integer NOT NULL DEFAULT 7;
  CREATE TABLE avm402_later (name text PRIMARY KEY);
  CREATE INDEX avm402_settlements_later ON avm402_settlements (later);
`;

/** Makes the tables those of a later release. */
async function later(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `${statements}; INSERT INTO avm402_migrations (name, timestamp) VALUES ('9999_later', '9999-01-01T00:00:00.000Z')`,
  );
  await client.end();
}

async function columnsOf(client: Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(`
    SELECT table_name AS table, column_name AS name, data_type AS type,
      is_nullable = 'YES' OR column_default IS NOT NULL AS "isOptional"
    FROM information_schema.columns WHERE table_name LIKE 'avm402%'
    UNION ALL SELECT tablename, indexname, 'unique', false FROM pg_indexes
    WHERE tablename LIKE 'avm402%' AND indexdef LIKE 'CREATE UNIQUE%'`);
  return rows;
}

describeSettlementStore('PostgreSQL', async () =>
  createPostgresSettlementStore({ url: await server.createDatabase() }),
);

describeLedger('PostgreSQL', async (now) => createPostgresSettlementStore({ url: await server.createDatabase(), now }));

describeChannelRows('PostgreSQL', async () => createPostgresSettlementStore({ url: await server.createDatabase() }));

describeCatalogue('PostgreSQL', async () => createPostgresSettlementStore({ url: await server.createDatabase() }));

describeBudgets(
  'PostgreSQL',
  async (now) => createPostgresSettlementStore({ url: await server.createDatabase(), now }),
  // Each run has a database of its own.
  { numRuns: 5 },
);

describe('--check', () => {
  it('says of a database that the next start brings it up to date, and names one of a later release', async () => {
    const url = await server.createDatabase();
    const found = `PostgreSQL at ${new URL(url).host}`;
    const outdated = `${found}, which the next start brings up to date`;
    expect(await checkConfig({ DATABASE_URL: url })).toMatchObject({ found: [outdated] });
    const store = createPostgresSettlementStore({ url });
    await store.open();
    expect(await checkConfig({ DATABASE_URL: url })).toMatchObject({ found: [found] });
    await later(url, `${LATER_ADDITIONS}; UPDATE avm402_store SET oldest_reader = 1000`);
    const { problems } = await checkConfig({ DATABASE_URL: url });
    expect(problems).toContainEqual(expect.stringMatching(/^DATABASE_URL: schema \d+ is for programs that know/));
    await store.close();
  });
});

describe('the PostgreSQL store', () => {
  it('may be opened by several replicas at once, of which one makes the tables', async () => {
    const url = await server.createDatabase();
    const replicas = Array.from({ length: 4 }, () => createPostgresSettlementStore({ url }));
    await Promise.all(replicas.map((replica) => replica.open()));
    const recorded = await Promise.all(
      replicas.map((replica, index) => replica.record(settlement('A'), { owner: `replica ${index}`, leaseMs: 60_000 })),
    );
    expect(recorded.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(1);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('waits for another replica that makes the tables, longer than for any other answer', async () => {
    const url = await server.createDatabase();
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const store = createPostgresSettlementStore({ url: `${url}?query_timeout=200&statement_timeout=200` });
    const opening = store.open();
    await other.query('SELECT pg_sleep(0.4)');
    await other.query('COMMIT');
    await opening;
    expect(await store.id()).toMatch(/^[0-9a-f]{32}$/);
    await other.end();
    await store.close();
  });

  it('records without waiting for others that hold the highest round, unless it raises it', async () => {
    const url = await server.createDatabase();
    const store = createPostgresSettlementStore({ url });
    await store.open();
    const { network, round } = settlement('A');
    await store.raiseRound(network, round);
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT * FROM avm402_rounds FOR UPDATE');
    expect(await store.record(settlement('A'), { owner: 'us', leaseMs: 1000 })).toMatchObject({ outcome: 'recorded' });
    const raising = store.record({ ...settlement('B'), round: round + 1n }, { owner: 'us', leaseMs: 1000 });
    await other.query('COMMIT');
    expect(await raising).toMatchObject({ outcome: 'recorded', settlement: { round: round + 1n } });
    await store.record({ ...settlement('C'), round: 1n }, { owner: 'us', leaseMs: 1000 });
    expect(await store.find('C')).toMatchObject({ round: round + 1n });
    await other.end();
    await store.close();
  });

  it('records within known budgets beside other replicas that do, and sums no rows for it', async () => {
    const url = await server.createDatabase();
    const store = createPostgresSettlementStore({ url });
    await store.open();
    const budgets = [{ scope: { payTo: 'SELLER' }, microAlgos: 10_000n, since: 0 }];
    const record = (txId: string) =>
      store.record(settlement(txId, { payTo: 'SELLER', terms: 'listed', sponsoredFee: 2_000n }), {
        owner: 'us',
        leaseMs: 1000,
        budgets,
      });
    expect(await record('A')).toMatchObject({ outcome: 'recorded' });
    const other = new Client({ connectionString: url });
    await other.connect();
    // What is known is not read again: rows that say something else change nothing.
    await other.query('UPDATE avm402_settlements SET budgeted_fee = 1000000');
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock_shared($1)', [SPENDING_LOCK]);
    for (const txId of ['B', 'C', 'D', 'E']) expect(await record(txId)).toMatchObject({ outcome: 'recorded' });
    await other.query('COMMIT');
    await other.end();
    expect(await record('F')).toEqual({ outcome: 'over_budget' });
    await store.close();
  });

  it('lets many replicas spend a budget to its end at the same time, and no further', async () => {
    const url = await server.createDatabase();
    const stores = Array.from({ length: 3 }, () => createPostgresSettlementStore({ url }));
    await Promise.all(stores.map((store) => store.open()));
    const since = 0;
    const budgets = [
      { scope: { payer: 'PAYER' }, microAlgos: 1_000_000n, since },
      { scope: { payTo: 'SELLER', terms: 'listed' as const }, microAlgos: 40_000n, since },
    ];
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const row = settlement(`T${index}`, {
          payer: index % 2 === 0 ? 'PAYER' : `PAYER ${index}`,
          payTo: 'SELLER',
          terms: 'listed',
          sponsoredFee: 2_000n,
        });
        return (await stores[index % 3]?.record(row, { owner: `replica ${index % 3}`, leaseMs: 1000, budgets }))
          ?.outcome;
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'recorded')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'over_budget')).toHaveLength(40);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('is used on by older replicas while a later release adds to its tables, and opened by them anew', async () => {
    const url = await server.createDatabase();
    const older = createPostgresSettlementStore({ url });
    await older.open();
    await later(url, LATER_ADDITIONS);
    const restarted = createPostgresSettlementStore({ url });
    await restarted.open();
    const us = { owner: 'us', leaseMs: 60_000 };
    for (const [txId, store] of [
      ['A', older],
      ['B', restarted],
    ] as const) {
      expect(await store.record(settlement(txId), us)).toMatchObject({ outcome: 'recorded' });
      expect(await store.change(txId, 'us', { to: 'submitted' })).toBe(true);
      expect(await restarted.find(txId)).toMatchObject({ ...settlement(txId), state: 'submitted' });
    }
    expect(await older.list({ limit: 5 })).toHaveLength(2);
    await Promise.all([older.close(), restarted.close()]);
  });

  it('refuses tables of a later release that says that older programs can’t work with them', async () => {
    const url = await server.createDatabase();
    const older = createPostgresSettlementStore({ url });
    await older.open();
    await older.close();
    await later(url, 'UPDATE avm402_store SET oldest_reader = 9999');
    const again = createPostgresSettlementStore({ url });
    await expect(again.open()).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/is for programs that know schema 9999 or a later one, this one knows \d+$/),
    });
    await again.close();
  });

  it('has no migration that strands older programs and does not say so', async () => {
    const url = await server.createDatabase();
    const client = new Client({ connectionString: url });
    await client.connect();
    const names = Object.keys(MIGRATIONS);
    for (const [index, [name, statements]] of Object.entries(MIGRATIONS).entries()) {
      const before = await columnsOf(client);
      await client.query(statements);
      const version = index + 1;
      if (version <= OLDEST_READER_SINCE) continue;
      const { rows } = await client.query<{ oldest_reader: number }>('SELECT oldest_reader FROM avm402_store');
      const stranded = rows[0]?.oldest_reader === version ? [] : whatStrands(before, await columnsOf(client));
      expect([name, stranded]).toEqual([name, []]);
    }
    expect(names).toEqual(names.toSorted());
    expect(names.length).toBeGreaterThanOrEqual(OLDEST_READER_SINCE);
    await client.end();
  });

  it('writes nothing into a transaction that a database began only after its caller had given up', async () => {
    const url = await server.createDatabase();
    const other = createPostgresSettlementStore({ url });
    await other.open();
    await using gate = await gateTo(url);
    const store = createPostgresSettlementStore({ url: `${gate.url}?query_timeout=500` });
    await store.record(settlement('A'), { owner: 'us', leaseMs: 60_000 });
    gate.shut();
    const budgets = [{ scope: { payTo: 'SELLER' }, microAlgos: 10_000n, since: 0 }];
    const sponsored = settlement('B', { payTo: 'SELLER', terms: 'listed', sponsoredFee: 2_000n });
    await expect(store.record(sponsored, { owner: 'us', leaseMs: 60_000, budgets })).rejects.toThrow('timeout');
    gate.open();
    expect(await store.change('A', 'us', { to: 'submitted' })).toBe(true);
    expect(await other.find('A')).toMatchObject({ state: 'submitted' });
    await Promise.all([store.close(), other.close()]);
  });

  it('records one payment of a lease where the database reads what was there as a transaction began', async () => {
    const url = await server.createDatabase();
    const other = new Client({ connectionString: url });
    await other.connect();
    const isolation = encodeURIComponent(String.raw`-c default_transaction_isolation=repeatable\ read`);
    const stores = [1, 2].map(() => createPostgresSettlementStore({ url: `${url}?options=${isolation}` }));
    await Promise.all(stores.map((store) => store.open()));
    const { network, round } = settlement('A');
    await stores[0]?.raiseRound(network, round);
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [SPENDING_LOCK]);
    const recording = stores.map((store, index) =>
      store.record(settlement(`T${index}`, { payer: 'PAYER', lease: 'ab' }), { owner: 'us', leaseMs: 60_000 }),
    );
    await expect.poll(async () => (await other.query(WAITING)).rows).toHaveLength(2);
    await other.query('COMMIT');
    const outcomes = (await Promise.all(recording)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['lease_held', 'recorded']);
    await other.end();
    await Promise.all(stores.map((store) => store.close()));
  });

  it('goes on after its connection broke in the middle of a transaction', async () => {
    const url = await server.createDatabase();
    await using gate = await gateTo(url);
    const store = createPostgresSettlementStore({ url: gate.url });
    await store.open();
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [SPENDING_LOCK]);
    const budgets = [{ scope: { payTo: 'SELLER' }, microAlgos: 10_000n, since: 0 }];
    const sponsored = settlement('A', { payTo: 'SELLER', terms: 'listed', sponsoredFee: 2_000n });
    const record = () => store.record(sponsored, { owner: 'us', leaseMs: 60_000, budgets });
    const cut = expect(record()).rejects.toThrow('Connection terminated');
    await expect.poll(async () => (await other.query(WAITING)).rows).toHaveLength(1);
    gate.breakConnections();
    await cut;
    await other.end();
    expect(await record()).toMatchObject({ outcome: 'recorded' });
    await store.close();
  });

  it('says what is wrong when the database is not there', async () => {
    const store = createPostgresSettlementStore({ url: 'postgres://nobody@127.0.0.1:1/nothing' });
    await expect(store.open()).rejects.toMatchObject({ code: 'store_unavailable' });
    await store.close();
  });
});
