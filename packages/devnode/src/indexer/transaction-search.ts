import { setImmediate as otherEvents } from 'node:timers/promises';
import { MAX_UINT64 } from '../codec/integer.ts';
import type { TransactionPlace } from '../ledger/transaction-tail.ts';
import type { ChainIndex, Positions } from './chain-index.ts';
import { confirmedTransaction, type ConfirmedTransaction } from './confirmed-transaction.ts';
import type { TransactionFilter } from './transaction-filter.ts';

/** How many transactions are examined before other events get their turn. */
const LOOKED_AT_ONCE = 1000;

/** The transactions to find, and their order. */
export interface TransactionSearch {
  readonly filter: TransactionFilter;
  /** The index's selection that holds all matches. */
  readonly positions: Positions;
  /** The first round and the last. Default: all rounds. */
  readonly minRound: bigint | undefined;
  readonly maxRound: bigint | undefined;
  readonly newestFirst: boolean;
  readonly limit: number;
  /** The last transaction of the page before. */
  readonly after: TransactionPlace | undefined;
}

/** One page of matches. */
export async function searchTransactions(
  index: ChainIndex,
  { filter, positions, newestFirst, limit, ...bounds }: TransactionSearch,
): Promise<ConfirmedTransaction[]> {
  const [from, to] = range(index, positions, { newestFirst, ...bounds });
  const checkChain = index.guard();
  const found: ConfirmedTransaction[] = [];
  for (let looked = 0; looked < to - from && found.length < limit; looked++) {
    const position = positions.at(newestFirst ? to - 1 - looked : from + looked);
    const transaction = position === undefined ? undefined : confirmedTransaction(index.chain, index.place(position));
    if (transaction !== undefined && filter(transaction)) found.push(transaction);
    if (looked % LOOKED_AT_ONCE !== LOOKED_AT_ONCE - 1) continue;
    await otherEvents();
    checkChain();
  }
  return found;
}

type Bounds = Pick<TransactionSearch, 'minRound' | 'maxRound' | 'newestFirst' | 'after'>;

/** Where the positions within the bounds begin and end. */
function range(
  index: ChainIndex,
  positions: Positions,
  { minRound = 0n, maxRound = MAX_UINT64, newestFirst, after }: Bounds,
): readonly [from: number, to: number] {
  const firstAt = (place: TransactionPlace): number =>
    lowerBound(positions, (position) => isBefore(index.place(position), place));
  const from = firstAt({ round: minRound, index: 0 });
  const to = firstAt({ round: maxRound + 1n, index: 0 });
  if (after === undefined) return [from, to];
  if (newestFirst) return [from, Math.min(to, firstAt(after))];
  return [Math.max(from, firstAt({ ...after, index: after.index + 1 })), to];
}

function isBefore(one: TransactionPlace, other: TransactionPlace): boolean {
  return one.round === other.round ? one.index < other.index : one.round < other.round;
}

/** How many positions are below; they come before all others. */
function lowerBound(positions: Positions, isBelow: (position: number) => boolean): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(positions.at(middle) ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
