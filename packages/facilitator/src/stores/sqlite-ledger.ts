import { storeUnavailable } from '../reason.ts';
import type { Ledger } from '../settlement/ledger.ts';
import { listSettlements, totalSettlements } from './ledger-scripts.ts';
import type { Script } from './script.ts';
import { sqlite } from './sqlite-module.ts';
import { MIGRATIONS, schemaVersion } from './sqlite-schema.ts';
import { runScript, SQLITE } from './sqlite-scripts.ts';

const OUTDATED = 'its schema is of an earlier release; the next start of a facilitator brings it up to date';

/** The ledger of a store's file, readable whether or not a facilitator works on it. */
export interface SqliteLedger extends Ledger {
  /** Whether the file is of an earlier release: it can be read when a facilitator has brought it up to date. */
  readonly isOutdated: boolean;
  close(): void;
}

/**
 * Opens a store's file to read it.
 * @throws X402Error `store_unavailable`, which says what is wrong with the file; also from its methods if it is outdated
 */
export function openSqliteLedger(path: string): SqliteLedger {
  const { DatabaseSync: Database } = sqlite();
  try {
    const database = new Database(path, { readOnly: true, readBigInts: true });
    const isOutdated = schemaVersion(database) < MIGRATIONS.length;
    const run = <Result>(script: Script<Result>): Result => {
      if (isOutdated) throw storeUnavailable(`settlement store ${path}`, OUTDATED);
      return runScript((sql) => database.prepare(sql), script);
    };
    return {
      isOutdated,
      list: async (query) => run(listSettlements(SQLITE, query)),
      totals: async (filter) => run(totalSettlements(SQLITE, filter)),
      close: () => database.close(),
    };
  } catch (cause) {
    throw storeUnavailable(`settlement store ${path}`, cause);
  }
}
