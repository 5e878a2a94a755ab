import { CompiledQuery, type Kysely } from 'kysely';
import type { SettlementDatabase } from './postgres-schema.ts';
import type { Dialect, FoundRow, Script } from './script.ts';

export const POSTGRES: Dialect = {
  settlements: 'avm402_settlements',
  catalogue: 'avm402_catalogue',
  byBytes: ' COLLATE "C"',
  position: 'strpos',
  sumOfAmounts: 'sum(amount::numeric) AS amount_low, 0 AS amount_high',
};

/** Runs a script statement by statement; in a transaction, if nothing may come between them. */
export async function runScript<Result>(database: Kysely<SettlementDatabase>, script: Script<Result>): Promise<Result> {
  let step = script.next([]);
  while (step.done !== true) {
    const { sql, values } = step.value;
    const { rows } = await database.executeQuery<FoundRow>(CompiledQuery.raw(numbered(sql), [...values]));
    step = script.next(rows);
  }
  return step.value;
}

/** Numbers the values of a statement, as PostgreSQL needs them. */
function numbered(sql: string): string {
  let place = 0;
  return sql.replaceAll('?', () => `$${++place}`);
}
