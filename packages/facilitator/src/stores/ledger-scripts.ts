import { DAY_MS } from '@avm402/core/durations';
import { type DayTotal, type LedgerFilter, type LedgerQuery, MAX_TOTALS } from '../settlement/ledger.ts';
import type { Settlement } from '../settlement/settlement.ts';
import { type Dialect, isOneOf, type Script, type Statement, whereAll } from './script.ts';
import { type DayTotalRow, dayTotalOfRow } from './settlement-row.ts';
import { settlementOf } from './settlement-scripts.ts';

/** A page of the ledger. TxIDs are compared byte by byte, as everywhere else, whatever the database's own order is. */
export function* listSettlements(
  { settlements, byBytes }: Dialect,
  { after, limit, ...filter }: LedgerQuery,
): Script<Settlement[]> {
  const where = whereAll([
    ...conditionsOf(filter),
    ...(after === undefined
      ? []
      : [{ sql: `(recorded_at, tx_id${byBytes}) < (?, ?)`, values: [after.recordedAt, after.txId] }]),
  ]);
  const rows = yield {
    sql: `SELECT * FROM ${settlements} ${where.sql} ORDER BY recorded_at DESC, tx_id${byBytes} DESC LIMIT ?`,
    values: [...where.values, limit],
  };
  return rows.map(settlementOf);
}

export function* totalSettlements(
  { settlements, byBytes, sumOfAmounts }: Dialect,
  filter: LedgerFilter,
): Script<DayTotal[]> {
  const { sql, values } = whereAll([...conditionsOf(filter), { sql: `state = 'confirmed'`, values: [] }]);
  const rows = yield {
    sql: `SELECT recorded_at / ${DAY_MS} AS day, network, asset, channel_move, count(*) AS settlements,
        ${sumOfAmounts}, sum(budgeted_fee) AS sponsored_fee
      FROM ${settlements} ${sql} GROUP BY day, network, asset, channel_move
      ORDER BY day DESC, network${byBytes}, asset${byBytes}, channel_move${byBytes} NULLS FIRST LIMIT ${MAX_TOTALS}`,
    values,
  };
  // The query above has these columns.
  return (rows as unknown as readonly DayTotalRow[]).map(dayTotalOfRow);
}

function conditionsOf({ receivers, payer, states, from, until }: LedgerFilter): Statement[] {
  return [
    ...(receivers === undefined ? [] : [isOneOf('pay_to', receivers)]),
    ...(payer === undefined ? [] : [{ sql: 'payer = ?', values: [payer] }]),
    ...(states === undefined ? [] : [isOneOf('state', states)]),
    ...(from === undefined ? [] : [{ sql: 'recorded_at >= ?', values: [from] }]),
    ...(until === undefined ? [] : [{ sql: 'recorded_at < ?', values: [until] }]),
  ];
}
