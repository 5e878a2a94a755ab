import type { Network } from '@avm402/core/network';
import { type Kysely, sql, type Transaction } from 'kysely';
import { type NewSettlement, SPENDING_STATES } from '../settlement/settlement.ts';
import type { Budget } from '../settlement/settlement-store.ts';
import type { SettlementDatabase } from './postgres-schema.ts';
import { columnsOfScope } from './settlement-row.ts';
import { scopeKey, scopeKeysOf } from './spending-bounds.ts';

// What replicas together know of budgets without summing rows: the table of bounds has, for a scope and a time, an
// upper bound of what was recorded since. A replica whose payment fits the bounds raises them, side by side with
// others. Otherwise it sums a day's rows while nobody else spends.

/** Key of the advisory lock: shared by all who raise bounds, exclusive for one who sums rows or moves a channel. */
const SPENDING_LOCK = 0x4156_4d34;

type Database = Kysely<SettlementDatabase>;

/** Keeps others from summing until the transaction ends. */
export async function spendBesideOthers(transaction: Transaction<SettlementDatabase>): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${SPENDING_LOCK})`.execute(transaction);
}

/** Keeps others from spending until the transaction ends: a sum can't be locked row by row. */
export async function spendAlone(transaction: Transaction<SettlementDatabase>): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${SPENDING_LOCK})`.execute(transaction);
}

/** Adds a written settlement to the bounds of all its scopes; returns whether the budgets have room for it. */
export async function raiseBounds(
  transaction: Transaction<SettlementDatabase>,
  settlement: NewSettlement,
  budgets: readonly Budget[],
): Promise<boolean> {
  // Locked in a fixed order, so that no two transactions wait for each other.
  const { rows } = await sql<BoundRow>`UPDATE avm402_spending_bounds
    SET micro_algos = micro_algos + ${settlement.sponsoredFee}
    WHERE scope IN (SELECT scope FROM avm402_spending_bounds
      WHERE scope = ANY(${scopeKeysOf(settlement)}) ORDER BY scope FOR UPDATE)
    RETURNING scope, since, micro_algos`.execute(transaction);
  const bounds = new Map(rows.map((row) => [row.scope, row]));
  return budgets.every((budget) => {
    const bound = bounds.get(scopeKey(settlement.network, budget.scope));
    return bound !== undefined && leastLeft(bound, budget) >= 0n;
  });
}

/** Sums a budget's day, stores the sum as its bound, and returns whether the budget has room for the fee. */
export async function learnBound(
  transaction: Transaction<SettlementDatabase>,
  network: Network,
  { budget, fee }: { readonly budget: Budget; readonly fee: bigint },
): Promise<boolean> {
  const { scope, since, microAlgos } = budget;
  const { recorded, refused } = await sumOf(transaction, network, budget);
  await sql`INSERT INTO avm402_spending_bounds (scope, since, micro_algos)
    VALUES (${scopeKey(network, scope)}, ${since}, ${recorded})
    ON CONFLICT (scope) DO UPDATE SET since = excluded.since, micro_algos = excluded.micro_algos`.execute(transaction);
  return recorded - refused + fee <= microAlgos;
}

/** What is left of a budget in µAlgo, capped at `upTo`. */
export async function leftOf(database: Database, network: Network, budget: Budget, upTo: bigint): Promise<bigint> {
  const bound = await database
    .selectFrom('avm402_spending_bounds')
    .selectAll()
    .where('scope', '=', scopeKey(network, budget.scope))
    .executeTakeFirst();
  if (bound !== undefined && leastLeft(bound, budget) >= upTo) return upTo;
  const { recorded, refused } = await sumOf(database, network, budget);
  const left = budget.microAlgos - recorded + refused;
  return left < upTo ? left : upTo;
}

interface BoundRow {
  readonly scope: string;
  readonly since: string;
  readonly micro_algos: string;
}

/** The least that is left of a budget, by its bound. Rows drop out as the window moves on, so more may be left. */
function leastLeft(bound: BoundRow, { since, microAlgos }: Budget): bigint {
  return since < Number(bound.since) ? -1n : microAlgos - BigInt(bound.micro_algos);
}

/** Sums refused settlements as well: they may be confirmed after all. */
async function sumOf(database: Database, network: Network, { scope, since }: Budget) {
  const { recorded, refused } = await database
    .selectFrom('avm402_settlements')
    .select([
      sql<string>`coalesce(sum(budgeted_fee), 0)`.as('recorded'),
      sql<string>`coalesce(sum(budgeted_fee) FILTER (WHERE NOT state = ANY(${SPENDING_STATES}) AND fee_held = 0), 0)`.as(
        'refused',
      ),
    ])
    .where('terms', 'is not', null)
    .where('recorded_at', '>=', sql<string>`${since}`)
    .where((row) => row.and({ ...columnsOfScope(scope), network }))
    .executeTakeFirstOrThrow();
  return { recorded: BigInt(recorded), refused: BigInt(refused) };
}
