import { openSqlite } from '../../stores/sqlite-database.ts';
import { SqliteRows } from '../../stores/sqlite-rows.ts';
import { type RedemptionLimits, RedemptionRows } from './redemption-rows.ts';
import { RiskRows } from './risk-rows.ts';
import type { RedemptionStore } from '../redemption-store.ts';

export interface SqliteRedemptionStoreOptions extends RedemptionLimits {
  /** The file; it is created if needed, and several processes on one machine may share it. `:memory:` for none. */
  readonly path: string;
}

/** A redemption store in one file. A commit survives the death of the process, but not that of the machine. */
export interface SqliteRedemptionStore extends RedemptionStore {
  close(): void;
}

/** Additions are tables of their own: earlier releases open the same file and don't see them. */
const SCHEMA_VERSION = 2;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS redemptions (
    tx_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    payment_id TEXT UNIQUE,
    payer TEXT NOT NULL,
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    kept_until INTEGER,
    document TEXT NOT NULL,
    body BLOB
  ) STRICT;
  CREATE INDEX IF NOT EXISTS old_redemptions ON redemptions (updated_at);
  CREATE INDEX IF NOT EXISTS old_responses ON redemptions (kept_until) WHERE kept_until IS NOT NULL;
  CREATE INDEX IF NOT EXISTS responses_of_payer ON redemptions (payer, kept_until) WHERE kept_until IS NOT NULL;
  CREATE INDEX IF NOT EXISTS refused_of_payer ON redemptions (payer, updated_at) WHERE state = 'released';
  CREATE TABLE IF NOT EXISTS risks (
    tx_id TEXT PRIMARY KEY,
    payer TEXT NOT NULL,
    network TEXT NOT NULL,
    amount INTEGER NOT NULL,
    since INTEGER NOT NULL,
    lost_at INTEGER,
    trusted_again INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS risks_of_payer ON risks (payer);
  CREATE INDEX IF NOT EXISTS risks_by_loss ON risks (lost_at, amount);
`;

/**
 * Opens the store.
 * @throws X402Error `store_unavailable` on a Node without node:sqlite, or if the file can't be used
 */
export function createSqliteRedemptionStore({ path, ...limits }: SqliteRedemptionStoreOptions): SqliteRedemptionStore {
  const purpose = 'redemption store';
  const database = openSqlite({ path, purpose, schema: SCHEMA, version: SCHEMA_VERSION, synchronous: 'NORMAL' });
  return new SqliteRedemptions(new SqliteRows(database, { name: 'redemptions', key: 'tx_id' }), limits);
}

class SqliteRedemptions extends RedemptionRows implements SqliteRedemptionStore {
  readonly risks: RiskRows;
  readonly #file: SqliteRows;

  constructor(file: SqliteRows, limits: RedemptionLimits) {
    super(file, limits);
    this.risks = new RiskRows({ name: 'risks', rows: file, alone: (sql, values) => file.run(sql, values) });
    this.#file = file;
  }

  close(): void {
    this.#file.close();
  }
}
