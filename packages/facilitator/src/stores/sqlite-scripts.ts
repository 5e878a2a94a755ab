import type { StatementSync } from 'node:sqlite';
import type { Dialect, Script } from './script.ts';

/** Prepares a statement, or returns it if it is prepared already. */
export type Prepare = (sql: string) => StatementSync;

/** Amounts can exceed signed 64 bits, so their last nine digits and the rest are summed apart. */
const SUM_OF_AMOUNTS = `sum(CAST(substr(amount, -9) AS INTEGER)) AS amount_low,
  sum(CAST(substr(amount, 1, max(0, length(amount) - 9)) AS INTEGER)) AS amount_high`;

export const SQLITE: Dialect = {
  settlements: 'settlements',
  rounds: 'rounds',
  catalogue: 'catalogue',
  time: '?',
  byBytes: '',
  position: 'instr',
  sumOfAmounts: SUM_OF_AMOUNTS,
};

/** Runs a script at once: nothing comes between its statements. */
export function runScript<Result>(prepare: Prepare, script: Script<Result>): Result {
  let step = script.next([]);
  while (step.done !== true) step = script.next(prepare(step.value.sql).all(...step.value.values));
  return step.value;
}
