import { type ColumnType, type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { PlainColumns } from './settlement-row.ts';

/** 64-bit integers come back as text. */
type Bigint = ColumnType<string, bigint, bigint>;

interface SettlementTable extends PlainColumns {
  round: Bigint;
  first_valid: Bigint;
  last_valid: Bigint;
  budgeted_fee: Bigint;
  advance: number;
  confirmed_round: ColumnType<string | null, bigint | null, bigint | null>;
  /** 1 while a refused settlement may still be confirmed, because a node may have passed it on. */
  fee_held: ColumnType<number, number | undefined, number>;
  delivered: boolean;
  recorded_at: ColumnType<string, number, number>;
  channel_expiry: ColumnType<string | null, bigint | null, bigint | null>;
  channel_open: number | null;
  /**
   * When others may take the row over unless its owner has renewed its lease; for a final row: when it became final.
   * Set by the database's clock, because those of the replicas may differ.
   */
  leased_until: Date;
}

/** The time until which an owner has renewed its lease on all its rows. */
interface OwnerTable {
  owner: string;
  leased_until: Date;
}

interface RoundTable {
  network: string;
  round: Bigint;
}

interface StoreTable {
  id: string;
  /** The least number of migrations that a program must know to work with this database. */
  oldest_reader: ColumnType<number, never, never>;
}

/** An upper bound of the sponsored fees recorded in a scope since a time (milliseconds since 1970). */
interface SpendingBoundTable {
  scope: string;
  since: Bigint;
  micro_algos: Bigint;
}

export interface SettlementDatabase {
  avm402_store: StoreTable;
  avm402_settlements: SettlementTable;
  avm402_rounds: RoundTable;
  avm402_owners: OwnerTable;
  avm402_spending_bounds: SpendingBoundTable;
}

const settlements: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('avm402_settlements')
      .addColumn('tx_id', 'text', (column) => column.primaryKey())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('round', 'bigint', (column) => column.notNull())
      .addColumn('first_valid', 'bigint', (column) => column.notNull())
      .addColumn('last_valid', 'bigint', (column) => column.notNull())
      .addColumn('payer', 'text', (column) => column.notNull())
      .addColumn('signer', 'text', (column) => column.notNull())
      .addColumn('fee_payer', 'text')
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('asset', 'text', (column) => column.notNull())
      .addColumn('amount', 'text', (column) => column.notNull())
      .addColumn('budgeted_fee', 'bigint', (column) => column.notNull())
      .addColumn('key_hash', 'text')
      .addColumn('requirements_digest', 'text', (column) => column.notNull())
      .addColumn('group_bytes', 'bytea')
      .addColumn('reason', 'text')
      .addColumn('confirmed_round', 'bigint')
      .addColumn('delivered', 'boolean', (column) => column.notNull())
      .addColumn('recorded_at', 'bigint', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('leased_until', 'timestamptz', (column) => column.notNull())
      .execute();
    await sql`CREATE INDEX avm402_settlements_unfinished ON avm402_settlements (state)
      WHERE state IN ('recorded', 'submitted', 'rejected')`.execute(database);
    await sql`CREATE INDEX avm402_settlements_budgeted ON avm402_settlements (recorded_at)
      WHERE budgeted_fee > 0`.execute(database);
    await sql`CREATE INDEX avm402_settlements_old ON avm402_settlements (recorded_at)`.execute(database);
    await database.schema
      .createTable('avm402_rounds')
      .addColumn('network', 'text', (column) => column.primaryKey())
      .addColumn('round', 'bigint', (column) => column.notNull())
      .execute();
    await sql`CREATE TABLE avm402_store AS SELECT replace(gen_random_uuid()::text, '-', '') AS id`.execute(database);
  },
};

const spending: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`ALTER TABLE avm402_settlements ADD COLUMN terms text`.execute(database);
    await sql`UPDATE avm402_settlements SET terms = 'anyone' WHERE budgeted_fee > 0`.execute(database);
    await sql`DROP INDEX avm402_settlements_budgeted`.execute(database);
    for (const column of ['terms', 'pay_to', 'payer']) {
      await sql`CREATE INDEX ${sql.id(`avm402_settlements_spending_by_${column}`)}
        ON avm402_settlements (${sql.id(column)}, recorded_at) WHERE terms IS NOT NULL`.execute(database);
    }
    await sql`DROP INDEX avm402_settlements_unfinished`.execute(database);
    await sql`CREATE INDEX avm402_settlements_unfinished ON avm402_settlements (owner)
      WHERE state IN ('recorded', 'submitted', 'rejected')`.execute(database);
    await database.schema
      .createTable('avm402_owners')
      .addColumn('owner', 'text', (column) => column.primaryKey())
      .addColumn('leased_until', 'timestamptz', (column) => column.notNull())
      .execute();
  },
};

/** The facts about a channel: whether its address was used, who signs claims, whether it is open, when it expires. */
const channels: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const column of ['channel_id', 'channel_move', 'channel_config', 'claim_authorizer'] as const) {
      await database.schema.alterTable('avm402_settlements').addColumn(column, 'text').execute();
    }
    await database.schema.alterTable('avm402_settlements').addColumn('channel_expiry', 'bigint').execute();
    await database.schema.alterTable('avm402_settlements').addColumn('channel_open', 'smallint').execute();
    await sql`CREATE INDEX avm402_settlements_channel_moves ON avm402_settlements (channel_id)
      WHERE channel_id IS NOT NULL`.execute(database);
    await sql`CREATE INDEX avm402_settlements_open_channels ON avm402_settlements (network, payer)
      WHERE channel_open = 1`.execute(database);
    await sql`CREATE INDEX avm402_settlements_expiring_channels ON avm402_settlements (network, channel_expiry)
      WHERE channel_open = 1`.execute(database);
  },
};

const catalogue: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('avm402_catalogue')
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('listed', 'smallint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('words', 'text', (column) => column.notNull())
      .addColumn('offers', 'text', (column) => column.notNull())
      .addColumn('entry', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('avm402_catalogue_key', ['resource', 'pay_to'])
      .execute();
    for (const column of ['pay_to', 'origin', 'updated_at']) {
      await sql`CREATE INDEX ${sql.id(`avm402_catalogue_by_${column}`)}
        ON avm402_catalogue (${sql.id(column)})`.execute(database);
    }
  },
};

const spendingBounds: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('avm402_spending_bounds')
      .addColumn('scope', 'text', (column) => column.primaryKey())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('micro_algos', 'bigint', (column) => column.notNull())
      .execute();
  },
};

const advances: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`ALTER TABLE avm402_settlements ADD COLUMN advance smallint NOT NULL DEFAULT 0`.execute(database);
    await sql`UPDATE avm402_settlements SET advance = 1 WHERE channel_id IS NOT NULL`.execute(database);
  },
};

/** Programs older than this migration refuse every schema that they don't know. */
const oldestReader: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .alterTable('avm402_store')
      .addColumn('oldest_reader', 'integer', (column) => column.notNull().defaultTo(OLDEST_READER_SINCE))
      .execute();
  },
};

/** The version, counted from 1, since which a schema says which programs can work with it. */
export const OLDEST_READER_SINCE = 7;

/** Few rows have a lease. No step writes to the index. */
const leases: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.alterTable('avm402_settlements').addColumn('lease', 'text').execute();
    await sql`CREATE INDEX avm402_settlements_held_leases ON avm402_settlements (payer, lease)
      WHERE lease IS NOT NULL`.execute(database);
  },
};

const heldFees: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .alterTable('avm402_settlements')
      .addColumn('fee_held', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

/**
 * In the order of their names; a published migration is never changed. A migration adds tables, indexes that are not
 * unique, and columns that a row can be written without, so that replicas that know an older schema can work beside it.
 * A migration that they can't work with, because something is gone or because rows hold values that they can't read,
 * sets `oldest_reader` to its own number; older programs then refuse the database.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_settlements': settlements,
  '0002_spending': spending,
  '0003_channels': channels,
  '0004_catalogue': catalogue,
  '0005_spending_bounds': spendingBounds,
  '0006_advances': advances,
  '0007_oldest_reader': oldestReader,
  '0008_leases': leases,
  '0009_held_fees': heldFees,
};

const MIGRATION_TABLE = 'avm402_migrations';
const NOTHING: Migration = { up: async () => {} };

/** Brings the schema to the version that this program knows; a later release's schema stays as it is. */
export function settlementMigrator(database: Kysely<SettlementDatabase>): Migrator {
  return new Migrator({
    db: database,
    provider: { getMigrations: () => knownMigrations(database) },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  });
}

/** Our migrations, and those that a later release has made: the migrator requires all that were made. */
async function knownMigrations(database: Kysely<SettlementDatabase>): Promise<Record<string, Migration>> {
  const later = (await madeMigrations(database)).filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (later.length > 0) await assertReader(database, later);
  return { ...MIGRATIONS, ...Object.fromEntries(later.map((name) => [name, NOTHING])) };
}

async function madeMigrations(database: Kysely<SettlementDatabase>): Promise<string[]> {
  const { rows } = await sql<{ is: boolean }>`SELECT to_regclass(${MIGRATION_TABLE}) IS NOT NULL AS is`.execute(
    database,
  );
  if (rows[0]?.is !== true) return [];
  const made = await sql<{ name: string }>`SELECT name FROM ${sql.table(MIGRATION_TABLE)}`.execute(database);
  return made.rows.map(({ name }) => name);
}

async function assertReader(database: Kysely<SettlementDatabase>, later: readonly string[]): Promise<void> {
  const { oldest_reader } = await database.selectFrom('avm402_store').select('oldest_reader').executeTakeFirstOrThrow();
  const known = Object.keys(MIGRATIONS).length;
  if (oldest_reader <= known) return;
  throw new TypeError(
    `schema ${known + later.length} is for programs that know schema ${oldest_reader} or a later one, this one knows ${known}`,
  );
}
