import type { Network } from '@avm402/core/network';
import { CHANNEL_ENDINGS } from '../settlement/channel-move.ts';
import {
  isFinal,
  type NewSettlement,
  type Settlement,
  SPENDING_STATES,
  type Transition,
  TRANSITIONS,
  UNFINISHED_STATES,
} from '../settlement/settlement.ts';
import {
  type ChannelLimits,
  type ChannelParty,
  type HeldLease,
  type RecordOutcome,
  SAFETY_ROUNDS,
} from '../settlement/settlement-store.ts';
import { areEqual, type Dialect, type FoundRow, type Script, type Statement } from './script.ts';
import { columnsOfScope, columnsOfStep, type SettlementRow, settlementOfRow } from './settlement-row.ts';

export function* findSettlement({ settlements }: Dialect, txId: string): Script<Settlement | undefined> {
  const [row] = yield { sql: `SELECT * FROM ${settlements} WHERE tx_id = ?`, values: [txId] };
  return row && settlementOf(row);
}

/** The reason, budgets aside, why a settlement can't be recorded; `undefined` if there is none. */
export function* hindranceOf(
  dialect: Dialect,
  settlement: NewSettlement,
  limits: ChannelLimits | undefined,
): Script<RecordOutcome | undefined> {
  const existing = yield* findSettlement(dialect, settlement.txId);
  if (existing !== undefined) return { outcome: 'exists', settlement: existing };
  const { lease } = settlement;
  const holder = lease === undefined ? undefined : yield* leaseHolder(dialect, { ...settlement, lease });
  if (holder !== undefined) return { outcome: 'lease_held' };
  const taken = yield* takenBy(dialect, settlement);
  if (taken !== undefined) return { outcome: 'channel_taken', settlement: taken };
  return (yield* hasPlace(dialect, settlement, limits)) ? undefined : { outcome: 'too_many_channels' };
}

/** The TxID of the open payment that holds a lease. */
export function* leaseHolder(
  { settlements }: Dialect,
  { network, payer, lease, round }: HeldLease,
): Script<string | undefined> {
  const [row] = yield {
    sql: `SELECT tx_id FROM ${settlements} WHERE payer = ? AND lease = ? AND network = ? AND last_valid >= ?
      AND state IN ('recorded', 'submitted') LIMIT 1`,
    values: [payer, lease, network, round],
  };
  return row && String(row['tx_id']);
}

/** The row that keeps this one from being written: a channel is opened once and ends once. */
function* takenBy({ settlements }: Dialect, { channel, round }: NewSettlement): Script<Settlement | undefined> {
  if (channel === undefined || channel.kind === 'top-up') return undefined;
  const isOpening = channel.kind === 'open';
  const moves = isOpening ? ['open'] : CHANNEL_ENDINGS;
  // A refused opening may still be confirmed; of two endings, the chain takes only one.
  const held = isOpening ? 'OR fee_held = 1' : '';
  // If an ending's window is over while its outcome is unknown, the chain decides whether the next ending counts.
  const [row] = yield {
    sql: `SELECT * FROM ${settlements} WHERE channel_id = ? AND channel_move IN (${quoted(moves)})
      AND (state = 'confirmed' OR (state IN ('recorded', 'submitted') AND last_valid >= ?) ${held}) LIMIT 1`,
    values: [channel.id, isOpening ? 0n : round],
  };
  return row && settlementOf(row);
}

function* hasPlace(
  dialect: Dialect,
  { network, payer, payTo, channel }: NewSettlement,
  limits: ChannelLimits | undefined,
): Script<boolean> {
  if (limits === undefined || channel?.kind !== 'open') return true;
  const { total, ofPayer, ofReceiver } = limits;
  for (const [of, most] of [[{}, total] as const, [{ payer }, ofPayer] as const, [{ payTo }, ofReceiver] as const]) {
    if ((yield* countOpenChannels(dialect, network, of)) >= most) return false;
  }
  return true;
}

export function* countOpenChannels({ settlements }: Dialect, network: Network, of: ChannelParty): Script<number> {
  const within = areEqual({ network, ...columnsOfScope(of) });
  const [row] = yield {
    sql: `SELECT count(*) AS open FROM ${settlements} WHERE channel_open = 1
      AND (state IN (${quoted(SPENDING_STATES)}) OR fee_held = 1) AND ${within.sql}`,
    values: within.values,
  };
  return Number(row?.['open']);
}

/** As `SettlementStore.lowerRound`; in a transaction. */
export function* lowerRound({ settlements, rounds }: Dialect, network: Network, round: bigint): Script<void> {
  const values = [round, network, round];
  yield { sql: `UPDATE ${rounds} SET round = ? WHERE network = ? AND round > ?`, values };
  const sql = `UPDATE ${settlements} SET round = ? WHERE network = ? AND round > ?
    AND state IN (${quoted(UNFINISHED_STATES)})`;
  yield { sql, values };
}

/** The recorded openings and endings of a channel, oldest first; of one moment, its opening comes first. */
export function* movesOfChannel({ settlements }: Dialect, id: string): Script<Settlement[]> {
  const rows = yield {
    sql: `SELECT * FROM ${settlements} WHERE channel_id = ? AND channel_move <> 'top-up'
      ORDER BY recorded_at, CASE channel_move WHEN 'open' THEN 0 ELSE 1 END`,
    values: [id],
  };
  return rows.map(settlementOf);
}

/** The confirmed openings of open channels whose expiry is before `round`, earliest expiry first. */
export function* expiredChannels(
  { settlements }: Dialect,
  network: Network,
  { round, limit }: { readonly round: bigint; readonly limit: number },
): Script<Settlement[]> {
  const rows = yield {
    sql: `SELECT * FROM ${settlements} WHERE channel_open = 1 AND network = ? AND channel_expiry < ?
      AND state = 'confirmed' ORDER BY channel_expiry LIMIT ?`,
    values: [network, round, limit],
  };
  return rows.map(settlementOf);
}

/** The statement that makes a step; `end` is when a final row became final, as the database writes a time. */
export function stepOf({ settlements }: Dialect, { txId, owner, transition, end }: OwnedStep): Statement {
  const where = `WHERE tx_id = ? AND owner = ? AND state IN (${quoted(TRANSITIONS[transition.to])})`;
  if (transition.to === 'released') return { sql: `DELETE FROM ${settlements} ${where}`, values: [txId, owner] };
  const columns = columnsOfStep(transition);
  const assignments = Object.keys(columns).map((column) => `${column} = ?`);
  const ending = isFinal({ state: transition.to }) ? [end] : [];
  return {
    sql: `UPDATE ${settlements} SET ${[...assignments, ...ending.map(({ sql }) => `leased_until = ${sql}`)].join(', ')}
      ${where}`,
    values: [...Object.values(columns), ...ending.flatMap(({ values }) => values), txId, owner],
  };
}

/** A step that the owner of a settlement makes. */
interface OwnedStep {
  readonly txId: string;
  readonly owner: string;
  readonly transition: Transition;
  readonly end: Statement;
}

/** The statement that marks a confirmed settlement as delivered, once. */
export function deliveryOf({ settlements }: Dialect, txId: string): Statement {
  return {
    sql: `UPDATE ${settlements} SET delivered = TRUE WHERE tx_id = ? AND state = 'confirmed' AND delivered = FALSE`,
    values: [txId],
  };
}

/** The statement that deletes final settlements which were recorded and became final before a time (ms since 1970). */
export function pruningOf(
  { settlements, rounds, time }: Dialect,
  { before, limit }: { readonly before: number; readonly limit: number },
): Statement {
  return {
    sql: `DELETE FROM ${settlements} WHERE tx_id IN (
      SELECT tx_id FROM ${settlements} JOIN ${rounds} USING (network)
      WHERE state NOT IN (${quoted(UNFINISHED_STATES)}) AND recorded_at < ? AND leased_until < ${time}
        AND last_valid + ${SAFETY_ROUNDS} < ${rounds}.round
        AND (channel_expiry IS NULL OR channel_expiry + ${SAFETY_ROUNDS} < ${rounds}.round)
        AND (channel_open IS DISTINCT FROM 1 OR state = 'expired')
      LIMIT ?)`,
    values: [before, before, limit],
  };
}

export function* endChannel({ settlements }: Dialect, id: string): Script<void> {
  const sql = `UPDATE ${settlements} SET channel_open = 0 WHERE channel_id = ? AND channel_open = 1`;
  yield { sql, values: [id] };
}

export function settlementOf(row: FoundRow): Settlement {
  // The schema has these columns.
  return settlementOfRow(row as unknown as SettlementRow);
}

/** Words of this program as a list of texts in a statement. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
