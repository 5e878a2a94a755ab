import type { StatementSync } from 'node:sqlite';
import type { Network } from '@avm402/core/network';
import { CHANNEL_ENDINGS } from '../settlement/channel-move.ts';
import { type NewSettlement, type Settlement, SPENDING_STATES } from '../settlement/settlement.ts';
import type { ChannelLimits, ChannelParty, HeldLease } from '../settlement/settlement-store.ts';
import { columnsOfScope, type SettlementRow, settlementOfRow } from './settlement-row.ts';

/** Prepares a statement, or returns it if it is prepared already. */
export type Prepare = (sql: string) => StatementSync;

/** The TxID of the open payment that holds a lease. */
export function leaseHolderIn(prepare: Prepare, { network, payer, lease, round }: HeldLease): string | undefined {
  const row = prepare(
    `SELECT tx_id FROM settlements WHERE payer = ? AND lease = ? AND network = ? AND last_valid >= ?
     AND state IN ('recorded', 'submitted') LIMIT 1`,
  ).get(payer, lease, network, round);
  return row?.['tx_id']?.toString();
}

export function isLeaseHeld(prepare: Prepare, { lease, ...settlement }: NewSettlement): boolean {
  return lease !== undefined && leaseHolderIn(prepare, { ...settlement, lease }) !== undefined;
}

/** The row that keeps this one from being written: a channel is opened once and ends once. */
export function takenBy(prepare: Prepare, { channel, round }: NewSettlement): Settlement | undefined {
  if (channel === undefined || channel.kind === 'top-up') return undefined;
  const isOpening = channel.kind === 'open';
  const moves = isOpening ? ['open'] : CHANNEL_ENDINGS;
  // A refused opening may still be confirmed; of two endings, the chain takes only one.
  const held = isOpening ? 'OR fee_held = 1' : '';
  // If an ending's window is over while its outcome is unknown, the chain decides whether the next ending counts.
  const row = prepare(
    `SELECT * FROM settlements WHERE channel_id = ? AND channel_move IN (${quoted(moves)})
     AND (state = 'confirmed' OR (state IN ('recorded', 'submitted') AND last_valid >= ?) ${held}) LIMIT 1`,
  ).get(channel.id, isOpening ? 0n : round);
  // The schema has these columns.
  return row && settlementOfRow(row as unknown as SettlementRow);
}

export function hasPlace(
  prepare: Prepare,
  { network, payer, payTo, channel }: NewSettlement,
  limits: ChannelLimits | undefined,
): boolean {
  if (limits === undefined || channel?.kind !== 'open') return true;
  const hasRoom = (of: ChannelParty, most: number): boolean => openChannelsOf(prepare, network, of) < most;
  return hasRoom({}, limits.total) && hasRoom({ payer }, limits.ofPayer) && hasRoom({ payTo }, limits.ofReceiver);
}

export function openChannelsOf(prepare: Prepare, network: Network, of: ChannelParty): number {
  const columns = columnsOfScope(of);
  const conditions = Object.keys(columns).map((column) => ` AND ${column} = ?`);
  const row = prepare(
    `SELECT COUNT(*) AS open FROM settlements
     WHERE channel_open = 1 AND network = ? AND (state IN (${quoted(SPENDING_STATES)}) OR fee_held = 1)${conditions.join('')}`,
  ).get(network, ...Object.values(columns));
  return Number(row?.['open']);
}

export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
