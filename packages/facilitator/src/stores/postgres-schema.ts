import type { Connection } from './postgres-scripts.ts';
import type { FoundRow } from './script.ts';

// `leased_until` is when others may take a row over unless its owner has renewed its lease; for a final row: when it
// became final. The database's clock sets it, because those of the replicas may differ.
const SETTLEMENTS = `
  CREATE TABLE avm402_settlements (
    tx_id text PRIMARY KEY,
    network text NOT NULL,
    state text NOT NULL,
    round bigint NOT NULL,
    first_valid bigint NOT NULL,
    last_valid bigint NOT NULL,
    payer text NOT NULL,
    signer text NOT NULL,
    fee_payer text,
    pay_to text NOT NULL,
    asset text NOT NULL,
    amount text NOT NULL,
    budgeted_fee bigint NOT NULL,
    key_hash text,
    requirements_digest text NOT NULL,
    group_bytes bytea,
    reason text,
    confirmed_round bigint,
    delivered boolean NOT NULL,
    recorded_at bigint NOT NULL,
    owner text NOT NULL,
    leased_until timestamptz NOT NULL
  );
  CREATE INDEX avm402_settlements_unfinished ON avm402_settlements (state)
    WHERE state IN ('recorded', 'submitted', 'rejected');
  CREATE INDEX avm402_settlements_budgeted ON avm402_settlements (recorded_at) WHERE budgeted_fee > 0;
  CREATE INDEX avm402_settlements_old ON avm402_settlements (recorded_at);
  CREATE TABLE avm402_rounds (network text PRIMARY KEY, round bigint NOT NULL);
  CREATE TABLE avm402_store AS SELECT replace(gen_random_uuid()::text, '-', '') AS id;
`;

// `avm402_owners` has the time until which an owner has renewed its lease on all its rows.
const SPENDING = `
  ALTER TABLE avm402_settlements ADD COLUMN terms text;
  UPDATE avm402_settlements SET terms = 'anyone' WHERE budgeted_fee > 0;
  DROP INDEX avm402_settlements_budgeted;
  CREATE INDEX avm402_settlements_spending_by_terms ON avm402_settlements (terms, recorded_at) WHERE terms IS NOT NULL;
  CREATE INDEX avm402_settlements_spending_by_pay_to ON avm402_settlements (pay_to, recorded_at)
    WHERE terms IS NOT NULL;
  CREATE INDEX avm402_settlements_spending_by_payer ON avm402_settlements (payer, recorded_at) WHERE terms IS NOT NULL;
  DROP INDEX avm402_settlements_unfinished;
  CREATE INDEX avm402_settlements_unfinished ON avm402_settlements (owner)
    WHERE state IN ('recorded', 'submitted', 'rejected');
  CREATE TABLE avm402_owners (owner text PRIMARY KEY, leased_until timestamptz NOT NULL);
`;

// The facts about a channel: whether its address was used, who signs claims, whether it is open, when it expires.
const CHANNELS = `
  ALTER TABLE avm402_settlements
    ADD COLUMN channel_id text,
    ADD COLUMN channel_move text,
    ADD COLUMN channel_config text,
    ADD COLUMN claim_authorizer text,
    ADD COLUMN channel_expiry bigint,
    ADD COLUMN channel_open smallint;
  CREATE INDEX avm402_settlements_channel_moves ON avm402_settlements (channel_id) WHERE channel_id IS NOT NULL;
  CREATE INDEX avm402_settlements_open_channels ON avm402_settlements (network, payer) WHERE channel_open = 1;
  CREATE INDEX avm402_settlements_expiring_channels ON avm402_settlements (network, channel_expiry)
    WHERE channel_open = 1;
`;

const CATALOGUE = `
  CREATE TABLE avm402_catalogue (
    resource text NOT NULL,
    pay_to text NOT NULL,
    origin text NOT NULL,
    type text NOT NULL,
    listed smallint NOT NULL,
    updated_at bigint NOT NULL,
    words text NOT NULL,
    offers text NOT NULL,
    entry text NOT NULL,
    CONSTRAINT avm402_catalogue_key PRIMARY KEY (resource, pay_to)
  );
  CREATE INDEX avm402_catalogue_by_pay_to ON avm402_catalogue (pay_to);
  CREATE INDEX avm402_catalogue_by_origin ON avm402_catalogue (origin);
  CREATE INDEX avm402_catalogue_by_updated_at ON avm402_catalogue (updated_at);
`;

// Upper bounds of the sponsored fees recorded in a scope since a time (milliseconds since 1970).
const SPENDING_BOUNDS = `
  CREATE TABLE avm402_spending_bounds (scope text PRIMARY KEY, since bigint NOT NULL, micro_algos bigint NOT NULL);
`;

const ADVANCES = `
  ALTER TABLE avm402_settlements ADD COLUMN advance smallint NOT NULL DEFAULT 0;
  UPDATE avm402_settlements SET advance = 1 WHERE channel_id IS NOT NULL;
`;

// The least number of migrations that a program must know to work with this database. Programs older than this
// migration refuse every schema that they don't know.
const OLDEST_READER = `
  ALTER TABLE avm402_store ADD COLUMN oldest_reader integer NOT NULL DEFAULT 7;
`;

// Few rows have a lease. No step writes to the index.
const LEASES = `
  ALTER TABLE avm402_settlements ADD COLUMN lease text;
  CREATE INDEX avm402_settlements_held_leases ON avm402_settlements (payer, lease) WHERE lease IS NOT NULL;
`;

// 1 while a refused settlement may still be confirmed, because a node may have passed it on.
const HELD_FEES = `
  ALTER TABLE avm402_settlements ADD COLUMN fee_held smallint NOT NULL DEFAULT 0;
`;

/**
 * In the order of their names; a published migration is never changed. A migration adds tables, indexes that are not
 * unique, and columns that a row can be written without, so that replicas that know an older schema can work beside it.
 * A migration that they can't work with, because something is gone or because rows hold values that they can't read,
 * sets `oldest_reader` to its own number; older programs then refuse the database.
 */
export const MIGRATIONS: Readonly<Record<string, string>> = {
  '0001_settlements': SETTLEMENTS,
  '0002_spending': SPENDING,
  '0003_channels': CHANNELS,
  '0004_catalogue': CATALOGUE,
  '0005_spending_bounds': SPENDING_BOUNDS,
  '0006_advances': ADVANCES,
  '0007_oldest_reader': OLDEST_READER,
  '0008_leases': LEASES,
  '0009_held_fees': HELD_FEES,
};

/** The version, counted from 1, since which a schema says which programs can work with it. */
export const OLDEST_READER_SINCE = 7;

/** Key of the advisory lock under which tables are made. Programs of earlier releases, which used Kysely, take it too. */
const MIGRATION_LOCK = 3_853_314_791_062_309_107n;

/** An index of many million rows takes minutes, and another replica may be making it. */
const MIGRATION_TIMEOUT_MS = 3_600_000;

/** Runs a statement, without the limit of those that payments wait for. */
type Query = (text: string, values?: unknown[]) => Promise<readonly FoundRow[]>;

/** Brings the schema to the version that this program knows; a later release's schema stays as it is. */
export async function migrate(connection: Connection): Promise<void> {
  const query: Query = async (text, values = []) =>
    (await connection.query({ text, values, query_timeout: MIGRATION_TIMEOUT_MS })).rows;
  await query(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT_MS}`);
  await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  const missing = await missingMigrations(query);
  const columns = 'name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL';
  if (missing.length > 0) await query(`CREATE TABLE IF NOT EXISTS avm402_migrations (${columns})`);
  for (const [name, statements] of missing) {
    await query(statements);
    const values = [name, new Date().toISOString()];
    await query('INSERT INTO avm402_migrations (name, timestamp) VALUES ($1, $2)', values);
  }
}

/**
 * The migrations that a database lacks. A role that may not make tables can ask.
 * @throws TypeError if this program can't work with it
 */
export async function missingMigrations(query: Query): Promise<(readonly [name: string, statements: string])[]> {
  const [table] = await query(`SELECT to_regclass('avm402_migrations') IS NOT NULL AS is`);
  const made = table?.['is'] === true ? await query('SELECT name FROM avm402_migrations') : [];
  const names = made.map(({ name }) => String(name));
  const later = names.filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (later.length > 0) await assertReader(query, later.length);
  return Object.entries(MIGRATIONS).filter(([name]) => !names.includes(name));
}

async function assertReader(query: Query, later: number): Promise<void> {
  const rows = await query('SELECT oldest_reader FROM avm402_store');
  const [oldest, known] = [Number(rows[0]?.['oldest_reader']), Object.keys(MIGRATIONS).length];
  if (oldest <= known) return;
  throw new TypeError(
    `schema ${known + later} is for programs that know schema ${oldest} or a later one, this one knows ${known}`,
  );
}
