import type { Network } from '@avm402/core/network';
import { type NewSettlement, SPENDING_STATES } from '../settlement/settlement.ts';
import type { Budget } from '../settlement/settlement-store.ts';
import { areEqual, type FoundRow, places, type Script, type Statement } from './script.ts';
import { columnsOfScope } from './settlement-row.ts';
import { quoted } from './settlement-scripts.ts';
import { scopeKey, scopeKeysOf } from './spending-bounds.ts';

// What replicas together know of budgets without summing rows: the table of bounds has, for a scope and a time, an
// upper bound of what was recorded since. A replica whose payment fits the bounds raises them, side by side with
// others. Otherwise it sums a day's rows while nobody else spends.

/** Key of the advisory lock: shared by all who raise bounds, exclusive for one who sums rows or moves a channel. */
const SPENDING_LOCK = 0x4156_4d34;

/** Keeps others from summing until the transaction ends. */
export const SPEND_BESIDE_OTHERS: Statement = {
  sql: 'SELECT pg_advisory_xact_lock_shared(?)',
  values: [SPENDING_LOCK],
};

/** Keeps others from spending until the transaction ends: a sum can't be locked row by row. */
export const SPEND_ALONE: Statement = { sql: 'SELECT pg_advisory_xact_lock(?)', values: [SPENDING_LOCK] };

/** Adds a written settlement to the bounds of all its scopes; returns whether the budgets have room for it. */
export function* raiseBounds(settlement: NewSettlement, budgets: readonly Budget[]): Script<boolean> {
  const scopes = scopeKeysOf(settlement);
  // Locked in a fixed order, so that no two transactions wait for each other.
  const rows = yield {
    sql: `UPDATE avm402_spending_bounds SET micro_algos = micro_algos + ?
      WHERE scope IN (SELECT scope FROM avm402_spending_bounds
        WHERE scope IN (${places(scopes)}) ORDER BY scope FOR UPDATE)
      RETURNING scope, since, micro_algos`,
    values: [settlement.sponsoredFee, ...scopes],
  };
  const bounds = new Map(rows.map((row) => [row['scope'], boundOf(row)]));
  return budgets.every((budget) => {
    const bound = bounds.get(scopeKey(settlement.network, budget.scope));
    return bound !== undefined && leastLeft(bound, budget) >= 0n;
  });
}

/** Sums a budget's day, stores the sum as its bound, and returns whether the budget has room for the fee. */
export function* learnBound(
  network: Network,
  { budget, fee }: { readonly budget: Budget; readonly fee: bigint },
): Script<boolean> {
  const { scope, since, microAlgos } = budget;
  const { recorded, refused } = yield* sumOf(network, budget);
  yield {
    sql: `INSERT INTO avm402_spending_bounds (scope, since, micro_algos) VALUES (?, ?, ?)
      ON CONFLICT (scope) DO UPDATE SET since = excluded.since, micro_algos = excluded.micro_algos`,
    values: [scopeKey(network, scope), since, recorded],
  };
  return recorded - refused + fee <= microAlgos;
}

/** What is left of a budget in µAlgo, capped at `upTo`. */
export function* leftOf(network: Network, budget: Budget, upTo: bigint): Script<bigint> {
  const [row] = yield {
    sql: 'SELECT since, micro_algos FROM avm402_spending_bounds WHERE scope = ?',
    values: [scopeKey(network, budget.scope)],
  };
  if (row !== undefined && leastLeft(boundOf(row), budget) >= upTo) return upTo;
  const { recorded, refused } = yield* sumOf(network, budget);
  const left = budget.microAlgos - recorded + refused;
  return left < upTo ? left : upTo;
}

interface Bound {
  readonly since: number;
  readonly microAlgos: bigint;
}

function boundOf(row: FoundRow): Bound {
  return { since: Number(row['since']), microAlgos: integerOf(row['micro_algos']) };
}

/** The least that is left of a budget, by its bound. Rows drop out as the window moves on, so more may be left. */
function leastLeft(bound: Bound, { since, microAlgos }: Budget): bigint {
  return since < bound.since ? -1n : microAlgos - bound.microAlgos;
}

/** Sums refused settlements as well: they may be confirmed after all. */
function* sumOf(
  network: Network,
  { scope, since }: Budget,
): Script<{ readonly recorded: bigint; readonly refused: bigint }> {
  const within = areEqual({ ...columnsOfScope(scope), network });
  const [row] = yield {
    sql: `SELECT coalesce(sum(budgeted_fee), 0) AS recorded, coalesce(sum(budgeted_fee)
        FILTER (WHERE state NOT IN (${quoted(SPENDING_STATES)}) AND fee_held = 0), 0) AS refused
      FROM avm402_settlements WHERE terms IS NOT NULL AND recorded_at >= ? AND ${within.sql}`,
    values: [since, ...within.values],
  };
  return { recorded: integerOf(row?.['recorded']), refused: integerOf(row?.['refused']) };
}

/** PostgreSQL gives integers of 64 bits, and sums of them, as texts. */
function integerOf(text: unknown): bigint {
  return BigInt(String(text));
}
