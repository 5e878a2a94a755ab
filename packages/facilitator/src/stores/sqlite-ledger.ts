import { X402Error } from '@avm402/core/errors';
import type { Ledger } from '../settlement/ledger.ts';
import { listSettlements, totalSettlements } from './ledger-scripts.ts';
import type { Script } from './script.ts';
import { sqlite } from './sqlite-module.ts';
import { runScript, SQLITE } from './sqlite-scripts.ts';

/** The ledger of a store's file, readable whether or not a facilitator works on it. */
export interface SqliteLedger extends Ledger {
  close(): void;
}

/** @throws X402Error `store_unavailable`, which says what is wrong with the file */
export function openSqliteLedger(path: string): SqliteLedger {
  const { DatabaseSync: Database } = sqlite();
  try {
    const database = new Database(path, { readOnly: true, readBigInts: true });
    const run = <Result>(script: Script<Result>): Result => runScript((sql) => database.prepare(sql), script);
    return {
      list: async (query) => run(listSettlements(SQLITE, query)),
      totals: async (filter) => run(totalSettlements(SQLITE, filter)),
      close: () => database.close(),
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('store_unavailable', { message: `settlement store ${path}: ${reason}`, cause });
  }
}
