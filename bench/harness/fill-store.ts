import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

export interface FillOptions {
  /** A row to copy under other TxIDs. */
  readonly txId: string;
  readonly rows: number;
}

/** Copies a row of a closed SQLite store until there are so many. */
export function fillSqlite(path: string, { txId, rows }: FillOptions): void {
  const database = new DatabaseSync(path);
  const columns = database
    .prepare('PRAGMA table_info(settlements)')
    .all()
    .map(({ name }) => String(name));
  const copied = columns.map((name) => (name === 'tx_id' ? 'upper(hex(randomblob(26)))' : name));
  const missing = rows - Number(database.prepare('SELECT count(*) AS n FROM settlements').get()?.['n']);
  database
    .prepare(
      `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
       INSERT INTO settlements (${columns.join(', ')})
       SELECT ${copied.join(', ')} FROM settlements, numbers WHERE tx_id = ? AND ? > 0`,
    )
    .run(missing, txId, missing);
  database.close();
}

/**
 * Copies a row of a PostgreSQL store until there are so many. Leases go by the database's clock; those of the copies ended
 * when the row was made.
 */
export async function fillPostgres(url: string, { txId, rows }: FillOptions): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO avm402_settlements
     SELECT (jsonb_populate_record(row, jsonb_build_object(
       'tx_id', upper(md5(random()::text) || md5(i::text)), 'leased_until', to_timestamp(row.recorded_at / 1000)))).*
     FROM avm402_settlements row,
          generate_series(1, $2 - (SELECT count(*) FROM avm402_settlements)) i
     WHERE row.tx_id = $1`,
    [txId, rows],
  );
  await client.query('ANALYZE avm402_settlements');
  await client.end();
}
