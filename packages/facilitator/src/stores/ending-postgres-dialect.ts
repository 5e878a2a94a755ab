import { type Driver, PostgresDialect, PostgresDriver, type TransactionSettings } from 'kysely';
import type { Pool } from 'pg';

/**
 * Kysely's dialect for PostgreSQL, which also ends a transaction whose `begin` was not answered in time. The database may
 * begin it later; what others then write over that connection would be told as written, and never be committed.
 */
export class EndingPostgresDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new EndingPostgresDriver({ pool: this.#pool });
  }
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class EndingPostgresDriver extends PostgresDriver {
  override async beginTransaction(connection: Connection, settings: TransactionSettings): Promise<void> {
    try {
      await super.beginTransaction(connection, settings);
    } catch (error) {
      // If this is not answered either, the connection is given up.
      await this.rollbackTransaction(connection).catch(() => {});
      throw error;
    }
  }
}
