import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { X402Error } from '@avm402/core/errors';
import { DAY_MS } from '@avm402/core/durations';
import { type DayTotal, type Ledger, type LedgerFilter, type LedgerQuery, MAX_TOTALS } from '../settlement/ledger.ts';
import type { Settlement } from '../settlement/settlement.ts';
import { type DayTotalRow, dayTotalOfRow, type SettlementRow, settlementOfRow } from './settlement-row.ts';
import { sqlite } from './sqlite-module.ts';

/** A page of the ledger. */
export function listSettlements(database: DatabaseSync, { after, limit, ...filter }: LedgerQuery): Settlement[] {
  const { conditions, values } = conditionsOf(filter);
  if (after !== undefined) {
    conditions.push('(recorded_at, tx_id) < (?, ?)');
    values.push(after.recordedAt, after.txId);
  }
  const rows = database
    .prepare(`SELECT * FROM settlements ${whereOf(conditions)} ORDER BY recorded_at DESC, tx_id DESC LIMIT ?`)
    .all(...values, limit);
  // The schema has these columns.
  return (rows as unknown as SettlementRow[]).map(settlementOfRow);
}

/** Amounts can exceed signed 64 bits, so their last nine digits and the rest are summed apart. */
const LOW = 'SUM(CAST(substr(amount, -9) AS INTEGER))';
const HIGH = 'SUM(CAST(substr(amount, 1, max(0, length(amount) - 9)) AS INTEGER))';

export function totalSettlements(database: DatabaseSync, filter: LedgerFilter): DayTotal[] {
  const { conditions, values } = conditionsOf(filter);
  const rows = database
    .prepare(
      `SELECT recorded_at / ${DAY_MS} AS day, network, asset, channel_move, COUNT(*) AS settlements,
         ${LOW} AS amount_low, ${HIGH} AS amount_high, SUM(budgeted_fee) AS sponsored_fee
       FROM settlements ${whereOf([...conditions, `state = 'confirmed'`])}
       GROUP BY day, network, asset, channel_move
       ORDER BY day DESC, network, CAST(asset AS TEXT), channel_move LIMIT ${MAX_TOTALS}`,
    )
    .all(...values);
  // The query above has these columns.
  return (rows as unknown as DayTotalRow[]).map(dayTotalOfRow);
}

/** The ledger of a store's file, readable whether or not a facilitator works on it. */
export interface SqliteLedger extends Ledger {
  close(): void;
}

/** @throws X402Error `store_unavailable`, which says what is wrong with the file */
export function openSqliteLedger(path: string): SqliteLedger {
  const { DatabaseSync: Database } = sqlite();
  try {
    const database = new Database(path, { readOnly: true, readBigInts: true });
    return {
      list: async (query) => listSettlements(database, query),
      totals: async (filter) => totalSettlements(database, filter),
      close: () => database.close(),
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('store_unavailable', { message: `settlement store ${path}: ${reason}`, cause });
  }
}

function conditionsOf({ receivers, payer, states, from, until }: LedgerFilter) {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...more: readonly SQLInputValue[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
  if (receivers !== undefined) add(`pay_to IN (${places(receivers.length)})`, ...receivers);
  if (payer !== undefined) add('payer = ?', payer);
  if (states !== undefined) add(`state IN (${places(states.length)})`, ...states);
  if (from !== undefined) add('recorded_at >= ?', from);
  if (until !== undefined) add('recorded_at < ?', until);
  return { conditions, values };
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
