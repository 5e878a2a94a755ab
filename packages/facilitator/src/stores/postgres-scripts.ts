import type { Pool } from 'pg';
import type { Dialect, FoundRow, Script, Statement } from './script.ts';

export const POSTGRES: Dialect = {
  settlements: 'avm402_settlements',
  rounds: 'avm402_rounds',
  catalogue: 'avm402_catalogue',
  time: 'to_timestamp(? / 1000.0)',
  byBytes: ' COLLATE "C"',
  position: 'strpos',
  sumOfAmounts: 'sum(amount::numeric) AS amount_low, 0 AS amount_high',
};

/** The part of a connection, or of a pool of them, that runs statements. */
export interface Connection {
  query(statement: {
    readonly text: string;
    readonly values: unknown[];
    /** Milliseconds. Default: that of the pool. */
    readonly query_timeout?: number;
  }): Promise<{ readonly rows: readonly FoundRow[]; readonly rowCount: number | null }>;
}

export async function runStatement(connection: Connection, { sql, values }: Statement) {
  return connection.query({ text: numbered(sql), values: [...values] });
}

/** Runs a script statement by statement; in a transaction, if nothing may come between them. */
export async function runScript<Result>(connection: Connection, script: Script<Result>): Promise<Result> {
  let step = script.next([]);
  while (step.done !== true) step = script.next((await runStatement(connection, step.value)).rows);
  return step.value;
}

/** Runs work in a transaction; `isKept` says whether what it wrote stays. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (connection: Connection) => Promise<Result>,
  isKept: (result: Result) => boolean = () => true,
): Promise<Result> {
  const client = await pool.connect();
  try {
    // A lock that was waited for would be of no use if the transaction saw only what was there before it.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await work(client);
    await client.query(isKept(result) ? 'COMMIT' : 'ROLLBACK');
    client.release();
    return result;
  } catch (error) {
    // Its state is unknown: the database may still begin what nobody waits for. What was not committed is rolled back.
    client.release(true);
    throw error;
  }
}

/** Numbers the values of a statement, as PostgreSQL needs them. */
function numbered(sql: string): string {
  let place = 0;
  return sql.replaceAll('?', () => `$${++place}`);
}
