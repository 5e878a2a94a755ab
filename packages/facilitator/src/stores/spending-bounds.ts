import { BoundedMap } from '@avm402/core/bounded-map';
import type { Network } from '@avm402/core/network';
import type { NewSettlement } from '../settlement/settlement.ts';
import type { Budget, BudgetScope } from '../settlement/settlement-store.ts';

/** An upper bound of what was recorded in a scope since a time. */
interface Bound {
  readonly since: number;
  /** µAlgo of settlements in any state. */
  microAlgos: bigint;
}

/** Scopes that are remembered. */
const CAPACITY = 20_000;
const MEMBERS = ['terms', 'payTo', 'payer', 'advance'] as const;

/**
 * Upper bounds of what was recorded in each scope, which a store's only process knows without summing rows. A
 * day's rows are summed when a budget is first asked about, and again when its bound leaves too little.
 */
export class SpendingBounds {
  readonly #bounds = new BoundedMap<string, Bound>(CAPACITY);

  /** The least µAlgo that are left of a budget; `undefined` if that is not known. */
  leastLeft(network: Network, { scope, since, microAlgos }: Budget): bigint | undefined {
    const bound = this.#bounds.get(scopeKey(network, scope));
    // As the window moves on, rows drop out of it, so more may be left.
    return bound === undefined || since < bound.since ? undefined : microAlgos - bound.microAlgos;
  }

  /** Stores the sum of a scope's rows, refused ones included: some of them may be confirmed after all. */
  learn(network: Network, { scope, since }: Budget, microAlgos: bigint): void {
    this.#bounds.set(scopeKey(network, scope), { since, microAlgos });
  }

  /** Adds a written row to the bound of each of its scopes. */
  recorded(settlement: NewSettlement): void {
    for (const key of scopeKeysOf(settlement)) {
      const bound = this.#bounds.get(key);
      if (bound) bound.microAlgos += settlement.sponsoredFee;
    }
  }
}

/** The key of a scope, across all networks. */
export function scopeKey(network: Network, scope: BudgetScope): string {
  return [network, ...MEMBERS.map((name) => String(scope[name] ?? ''))].join(' ');
}

/** The keys of all scopes that contain a settlement: every combination of its members. */
export function scopeKeysOf({ network, terms, payTo, payer, advance }: NewSettlement): string[] {
  const scopes = [{}, { payTo }, { payer }, { payTo, payer }]
    .flatMap((scope) => (terms === undefined ? [scope] : [scope, { ...scope, terms }]))
    .flatMap((scope) => [scope, { ...scope, advance }]);
  return scopes.map((scope) => scopeKey(network, scope));
}
