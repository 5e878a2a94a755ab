import type { SettlementStore } from '../settlement/settlement-store.ts';
import { sqliteSettlementStore } from './sqlite.ts';

/**
 * A settlement store that lives and dies with the process: for tests, and where losing it is no loss. Closing it forgets
 * nothing, so that the next facilitator in the process can go on with it.
 *
 * @example
 * ```ts
 * import { memorySettlementStore } from '@avm402/facilitator';
 *
 * const store = memorySettlementStore();
 * ```
 */
export function memorySettlementStore(options: { readonly now?: () => number } = {}): SettlementStore {
  const store = sqliteSettlementStore({ path: ':memory:', ...options });
  // In memory it is open at once, and stays so.
  void store.open();
  return Object.assign(store, { close: async () => {} });
}
