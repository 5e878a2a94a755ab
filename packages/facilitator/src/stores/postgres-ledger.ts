import { type Kysely, type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '@avm402/core/durations';
import { type DayTotal, type LedgerFilter, type LedgerQuery, MAX_TOTALS } from '../settlement/ledger.ts';
import type { Settlement } from '../settlement/settlement.ts';
import type { SettlementDatabase } from './postgres-schema.ts';
import { type DayTotalRow, dayTotalOfRow, type SettlementRow, settlementOfRow } from './settlement-row.ts';

/** A page of the ledger. */
export async function listSettlements(
  database: Kysely<SettlementDatabase>,
  { after, limit, ...filter }: LedgerQuery,
): Promise<Settlement[]> {
  const conditions = conditionsOf(filter);
  // TxIDs are compared byte by byte, as everywhere else, whatever the database's own order is.
  if (after !== undefined) {
    conditions.push(sql`(recorded_at, tx_id COLLATE "C") < (${after.recordedAt}, ${after.txId})`);
  }
  const { rows } = await sql<SettlementRow>`SELECT * FROM avm402_settlements ${whereOf(conditions)}
    ORDER BY recorded_at DESC, tx_id COLLATE "C" DESC LIMIT ${limit}`.execute(database);
  return rows.map(settlementOfRow);
}

export async function totalSettlements(
  database: Kysely<SettlementDatabase>,
  filter: LedgerFilter,
): Promise<DayTotal[]> {
  const conditions = [...conditionsOf(filter), sql`state = 'confirmed'`];
  const { rows } = await sql<DayTotalRow>`
    SELECT recorded_at / ${sql.lit(DAY_MS)} AS day, network, asset, channel_move, count(*) AS settlements,
      sum(amount::numeric)::text AS amount_low, 0 AS amount_high, sum(budgeted_fee)::text AS sponsored_fee
    FROM avm402_settlements ${whereOf(conditions)}
    GROUP BY 1, network, asset, channel_move
    ORDER BY 1 DESC, network COLLATE "C", asset COLLATE "C", channel_move COLLATE "C" NULLS FIRST
    LIMIT ${sql.lit(MAX_TOTALS)}`.execute(database);
  return rows.map(dayTotalOfRow);
}

function conditionsOf({ receivers, payer, states, from, until }: LedgerFilter): RawBuilder<unknown>[] {
  return [
    ...(receivers === undefined ? [] : [sql`pay_to = ANY(${receivers})`]),
    ...(payer === undefined ? [] : [sql`payer = ${payer}`]),
    ...(states === undefined ? [] : [sql`state = ANY(${states})`]),
    ...(from === undefined ? [] : [sql`recorded_at >= ${from}`]),
    ...(until === undefined ? [] : [sql`recorded_at < ${until}`]),
  ];
}

function whereOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
}
