import { PostgresDatabase, type PostgresStore } from '../../stores/postgres-database.ts';
import { PostgresRows } from '../../stores/postgres-rows.ts';
import { type RedemptionLimits, RedemptionRows } from './redemption-rows.ts';
import { RiskRows } from './risk-rows.ts';
import type { RedemptionStore } from '../redemption-store.ts';

export interface PostgresRedemptionStoreOptions extends RedemptionLimits {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
}

/** A redemption store that servers on any number of machines share. */
export type PostgresRedemptionStore = RedemptionStore & PostgresStore;

const MIGRATIONS = {
  redemptions: `
    CREATE TABLE avm402_redemptions (
      tx_id text PRIMARY KEY,
      version bigint NOT NULL,
      payment_id text UNIQUE,
      payer text NOT NULL,
      state text NOT NULL,
      updated_at bigint NOT NULL,
      kept_until bigint,
      document text NOT NULL,
      body bytea
    );
    CREATE INDEX avm402_redemptions_old ON avm402_redemptions (updated_at);
    CREATE INDEX avm402_redemptions_kept ON avm402_redemptions (kept_until) WHERE kept_until IS NOT NULL;
    CREATE INDEX avm402_redemptions_kept_of_payer ON avm402_redemptions (payer, kept_until)
      WHERE kept_until IS NOT NULL;
    CREATE INDEX avm402_redemptions_refused_of_payer ON avm402_redemptions (payer, updated_at)
      WHERE state = 'released';`,
  risks: `
    CREATE TABLE avm402_risks (
      tx_id text PRIMARY KEY,
      payer text NOT NULL,
      network text NOT NULL,
      amount bigint NOT NULL,
      since bigint NOT NULL,
      lost_at bigint,
      trusted_again smallint NOT NULL DEFAULT 0
    );
    CREATE INDEX avm402_risks_of_payer ON avm402_risks (payer);
    CREATE INDEX avm402_risks_by_loss ON avm402_risks (lost_at, amount);`,
};

/**
 * Opens the store at its first use, and makes its tables if needed. Nothing is served while the database does not
 * answer.
 *
 * @example
 * ```ts
 * import { createPostgresRedemptionStore } from '@avm402/server/postgres';
 *
 * const store = createPostgresRedemptionStore({ url: 'postgres://avm402:secret@db.example/avm402' });
 * ```
 */
export function createPostgresRedemptionStore({
  url,
  ...limits
}: PostgresRedemptionStoreOptions): PostgresRedemptionStore {
  return new PostgresRedemptions(new PostgresDatabase(url, MIGRATIONS), limits);
}

/** Key of the advisory lock under which a payment is counted as at risk. */
const RISK_LOCK = 0x4156_4d36;

class PostgresRedemptions extends RedemptionRows implements PostgresRedemptionStore {
  readonly risks: RiskRows;
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase, limits: RedemptionLimits) {
    super(new PostgresRows(database, { name: 'avm402_redemptions', key: 'tx_id' }), limits);
    const rows = new PostgresRows(database, { name: 'avm402_risks', key: 'tx_id' });
    this.risks = new RiskRows({
      name: 'avm402_risks',
      rows,
      alone: (sql, values) => rows.alone(RISK_LOCK, sql, values),
    });
    this.#database = database;
  }

  open(): Promise<void> {
    return this.#database.open();
  }

  async close(): Promise<void> {
    await this.rested();
    await this.#database.close();
  }
}
