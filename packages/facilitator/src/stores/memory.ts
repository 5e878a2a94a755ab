import type { SettlementStore } from '../settlement/settlement-store.ts';
import { createSqliteSettlementStore } from './sqlite.ts';
import { sqlite } from './sqlite-module.ts';

/**
 * A settlement store that lives and dies with the process: for tests, and where losing it does no harm. Closing it
 * keeps its rows, so that the next facilitator in the process can continue with them.
 * @throws X402Error `store_unavailable` on a Node without node:sqlite
 *
 * @example
 * ```ts
 * import { createMemorySettlementStore } from '@avm402/facilitator';
 *
 * const store = createMemorySettlementStore();
 * ```
 */
export function createMemorySettlementStore(options: { readonly now?: () => number } = {}): SettlementStore {
  sqlite();
  const store = createSqliteSettlementStore({ path: ':memory:', ...options });
  // A store in memory opens at once, and stays open.
  void store.open();
  return Object.assign(store, { close: async () => {} });
}
