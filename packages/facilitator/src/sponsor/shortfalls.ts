import { BoundedMap } from '@avm402/core/bounded-map';
import type { Budget, SettlementStore } from '../settlement/settlement-store.ts';
import type { Network } from '@avm402/core/network';

/** What was left of a budget when the store was last asked. */
interface Shortfall {
  readonly left: bigint;
  /** By `performance.now`. */
  readonly knownUntil: number;
}

/** Budgets that are remembered. */
const CAPACITY = 10_000;
/** So many times as long as a store took to sum a budget's rows, its answer holds. */
const REST = 9;
/** µAlgo of two transactions at the least fee: while this much is left, the next payment may still fit. */
const LEAST_FEE = 2_000n;

/**
 * Asks a store what is left of budgets. To find out that a budget is used up it sums a day's rows, which takes it a
 * second for a million; so it is asked again only after nine times as long, and everybody else is served meanwhile. A
 * budget that has room for a payment is asked about each time: nothing is verified by what was left before the last one.
 */
export class Shortfalls {
  readonly #store: Pick<SettlementStore, 'budgetLeft'>;
  readonly #known = new BoundedMap<string, Shortfall>(CAPACITY);
  readonly #monotonicNow: () => number;

  constructor(store: Pick<SettlementStore, 'budgetLeft'>, monotonicNow = (): number => performance.now()) {
    this.#store = store;
    this.#monotonicNow = monotonicNow;
  }

  /** What is left of a budget in µAlgo, capped at `upTo`. Less than that may be what was left a moment ago. */
  async left(network: Network, budget: Budget, upTo: bigint): Promise<bigint> {
    const { scope, microAlgos } = budget;
    const key = JSON.stringify([network, Object.entries(scope), String(microAlgos)]);
    const begun = this.#monotonicNow();
    const known = this.#known.get(key);
    if (known !== undefined && known.left < upTo && begun < known.knownUntil) return known.left;
    const left = await this.#store.budgetLeft(network, budget, upTo);
    const ended = this.#monotonicNow();
    if (left < upTo && left < LEAST_FEE) this.#known.set(key, { left, knownUntil: ended + REST * (ended - begun) });
    return left;
  }
}
