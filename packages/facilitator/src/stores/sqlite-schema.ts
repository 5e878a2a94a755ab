import type { DatabaseSync } from 'node:sqlite';

// With a rowid: in a table without one, a row of over a kilobyte spills to its own page, which every step rewrites.
const SCHEMA = `
  CREATE TABLE settlements (
    tx_id TEXT PRIMARY KEY,
    network TEXT NOT NULL,
    state TEXT NOT NULL,
    round INTEGER NOT NULL,
    first_valid INTEGER NOT NULL,
    last_valid INTEGER NOT NULL,
    payer TEXT NOT NULL,
    signer TEXT NOT NULL,
    fee_payer TEXT,
    pay_to TEXT NOT NULL,
    asset TEXT NOT NULL,
    amount TEXT NOT NULL,
    budgeted_fee INTEGER NOT NULL,
    key_hash TEXT,
    requirements_digest TEXT NOT NULL,
    group_bytes BLOB,
    reason TEXT,
    confirmed_round INTEGER,
    delivered INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    owner TEXT NOT NULL,
    leased_until INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX unfinished_settlements ON settlements (state) WHERE state IN ('recorded', 'submitted', 'rejected');
  CREATE INDEX budgeted_settlements ON settlements (recorded_at) WHERE budgeted_fee > 0;
  CREATE INDEX old_settlements ON settlements (recorded_at);
  CREATE TABLE store (id TEXT NOT NULL) STRICT;
  INSERT INTO store (id) VALUES (lower(hex(randomblob(16))));
  CREATE TABLE rounds (network TEXT PRIMARY KEY, round INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

// The column never changes and the condition ends only with the outcome, so no other step writes to this index.
const UNFINISHED_BY_GROUP = `
  DROP INDEX unfinished_settlements;
  CREATE INDEX unfinished_settlements ON settlements (recorded_at) WHERE group_bytes IS NOT NULL;
`;

// Each sum of a budget is read from an index alone. No step writes to these indexes, except to that of refused rows.
const SPENDING = `
  ALTER TABLE settlements ADD COLUMN terms TEXT;
  UPDATE settlements SET terms = 'anyone' WHERE budgeted_fee > 0;
  DROP INDEX unfinished_settlements;
  CREATE INDEX unfinished_settlements ON settlements (owner) WHERE group_bytes IS NOT NULL;
  DROP INDEX budgeted_settlements;
  CREATE INDEX spending_by_terms ON settlements (terms, recorded_at, network, budgeted_fee) WHERE terms IS NOT NULL;
  CREATE INDEX spending_by_pay_to ON settlements (pay_to, terms, recorded_at, network, budgeted_fee)
    WHERE terms IS NOT NULL;
  CREATE INDEX spending_by_payer ON settlements (payer, recorded_at, network, budgeted_fee) WHERE terms IS NOT NULL;
  CREATE INDEX refused_spending ON settlements (recorded_at, network, terms, pay_to, payer, budgeted_fee)
    WHERE terms IS NOT NULL AND state IN ('rejected', 'expired');
`;

// The facts about a channel: whether its address was used, who signs claims, whether it is open, when it expires.
const CHANNELS = `
  ALTER TABLE settlements ADD COLUMN channel_id TEXT;
  ALTER TABLE settlements ADD COLUMN channel_move TEXT;
  ALTER TABLE settlements ADD COLUMN channel_config TEXT;
  ALTER TABLE settlements ADD COLUMN claim_authorizer TEXT;
  ALTER TABLE settlements ADD COLUMN channel_expiry INTEGER;
  ALTER TABLE settlements ADD COLUMN channel_open INTEGER;
  CREATE INDEX channel_moves ON settlements (channel_id) WHERE channel_id IS NOT NULL;
  CREATE INDEX open_channels ON settlements (network, payer) WHERE channel_open = 1;
  CREATE INDEX expiring_channels ON settlements (network, channel_expiry) WHERE channel_open = 1;
`;

const CATALOGUE = `
  CREATE TABLE catalogue (
    resource TEXT NOT NULL,
    pay_to TEXT NOT NULL,
    origin TEXT NOT NULL,
    type TEXT NOT NULL,
    listed INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    words TEXT NOT NULL,
    offers TEXT NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (resource, pay_to)
  ) STRICT;
  CREATE INDEX catalogue_by_pay_to ON catalogue (pay_to);
  CREATE INDEX catalogue_by_origin ON catalogue (origin);
  CREATE INDEX catalogue_by_age ON catalogue (updated_at);
`;

// The same indexes serve the budgets for advances and those for payments.
const ADVANCES = `
  ALTER TABLE settlements ADD COLUMN advance INTEGER NOT NULL DEFAULT 0;
  UPDATE settlements SET advance = 1 WHERE channel_id IS NOT NULL;
  DROP INDEX spending_by_terms;
  DROP INDEX spending_by_pay_to;
  DROP INDEX spending_by_payer;
  DROP INDEX refused_spending;
  CREATE INDEX spending_by_terms ON settlements (terms, recorded_at, network, advance, budgeted_fee)
    WHERE terms IS NOT NULL;
  CREATE INDEX spending_by_pay_to ON settlements (pay_to, terms, recorded_at, network, advance, budgeted_fee)
    WHERE terms IS NOT NULL;
  CREATE INDEX spending_by_payer ON settlements (payer, recorded_at, network, advance, budgeted_fee)
    WHERE terms IS NOT NULL;
  CREATE INDEX refused_spending ON settlements (recorded_at, network, terms, pay_to, payer, advance, budgeted_fee)
    WHERE terms IS NOT NULL AND state IN ('rejected', 'expired');
`;

// Programs older than this migration refuse every schema that they don't know.
const OLDEST_READER = `
  ALTER TABLE store ADD COLUMN oldest_reader INTEGER NOT NULL DEFAULT 7;
`;

// Few rows have a lease. No step writes to the index.
const LEASES = `
  ALTER TABLE settlements ADD COLUMN lease TEXT;
  CREATE INDEX held_leases ON settlements (payer, lease) WHERE lease IS NOT NULL;
`;

// 1 while a refused settlement may still be confirmed, because a node may have passed it on.
const HELD_FEES = `
  ALTER TABLE settlements ADD COLUMN fee_held INTEGER NOT NULL DEFAULT 0;
  DROP INDEX refused_spending;
  CREATE INDEX refused_spending ON settlements (recorded_at, network, terms, pay_to, payer, advance, budgeted_fee)
    WHERE terms IS NOT NULL AND state IN ('rejected', 'expired') AND fee_held = 0;
`;

/**
 * The steps from each version of the schema to the next; a published step is never changed. A migration adds tables,
 * indexes that are not unique, and columns that a row can be written without, so that programs that know an older
 * schema can work beside it. A migration that they can't work with, because something is gone or because rows hold
 * values that they can't read, sets `oldest_reader` to its own version; older programs then refuse the file.
 */
export const MIGRATIONS = [
  SCHEMA,
  UNFINISHED_BY_GROUP,
  SPENDING,
  CHANNELS,
  CATALOGUE,
  ADVANCES,
  OLDEST_READER,
  LEASES,
  HELD_FEES,
];

/** The version since which a schema says which programs can work with it. */
export const OLDEST_READER_SINCE = 7;

/** Brings the schema to the version that this program knows; a later release's schema stays as it is. */
export function migrate(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  const version = schemaVersion(database);
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${Math.max(version, MIGRATIONS.length)}`);
  database.exec('COMMIT');
}

/**
 * The version of the file's schema; 0 if it has none yet.
 * @throws TypeError if this program can't work with it
 */
export function schemaVersion(database: DatabaseSync): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > MIGRATIONS.length) assertReader(database, version);
  return version;
}

function assertReader(database: DatabaseSync, version: number): void {
  const oldest = Number(database.prepare('SELECT oldest_reader FROM store').get()?.['oldest_reader']);
  if (oldest <= MIGRATIONS.length) return;
  throw new TypeError(
    `schema ${version} is for programs that know schema ${oldest} or a later one, this one knows ${MIGRATIONS.length}`,
  );
}
