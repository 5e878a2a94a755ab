import type { Network } from '@avm402/core/network';
import type { NewSettlement } from '../settlement/settlement.ts';
import type { Budget, BudgetScope } from '../settlement/settlement-store.ts';

/** What was recorded in a scope since a time, or more. */
interface Bound {
  readonly since: number;
  /** µAlgo, of whatever state. */
  microAlgos: bigint;
}

/** Scopes that are remembered; the one that was learned first goes first. */
const CAPACITY = 20_000;
const MEMBERS = ['terms', 'payTo', 'payer', 'advance'] as const;

/**
 * What a store's only process knows of budgets without summing rows: at most so much was recorded in a scope. A day's rows
 * are summed when a budget is asked about for the first time, and again when it may be spent.
 */
export class SpendingBounds {
  readonly #bounds = new Map<string, Bound>();

  /** µAlgo that are left of a budget at least; `undefined` if that is not known. */
  leastLeft(network: Network, { scope, since, microAlgos }: Budget): bigint | undefined {
    const bound = this.#bounds.get(scopeKey(network, scope));
    // A window moves on, and what it leaves behind makes it less.
    return bound === undefined || since < bound.since ? undefined : microAlgos - bound.microAlgos;
  }

  /** The rows of a budget's scope were summed, also those that were refused: some of them may be confirmed after all. */
  learn(network: Network, { scope, since }: Budget, microAlgos: bigint): void {
    const [oldest] = this.#bounds.keys();
    if (this.#bounds.size >= CAPACITY && oldest !== undefined) this.#bounds.delete(oldest);
    this.#bounds.set(scopeKey(network, scope), { since, microAlgos });
  }

  /** A row was written: it counts in each scope that it is in. */
  recorded(settlement: NewSettlement): void {
    for (const key of scopeKeysOf(settlement)) {
      const bound = this.#bounds.get(key);
      if (bound) bound.microAlgos += settlement.sponsoredFee;
    }
  }
}

/** A scope's name among those of all networks. */
export function scopeKey(network: Network, scope: BudgetScope): string {
  return [network, ...MEMBERS.map((name) => String(scope[name] ?? ''))].join(' ');
}

/** The keys of all scopes that a settlement is in: every choice of its members. */
export function scopeKeysOf({ network, terms, payTo, payer, advance }: NewSettlement): string[] {
  const scopes = [{}, { payTo }, { payer }, { payTo, payer }]
    .flatMap((scope) => (terms === undefined ? [scope] : [scope, { ...scope, terms }]))
    .flatMap((scope) => [scope, { ...scope, advance }]);
  return scopes.map((scope) => scopeKey(network, scope));
}
