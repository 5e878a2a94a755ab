import type { Network } from '@avm402/core/network';
import { type Kysely, sql, type Transaction } from 'kysely';
import { CHANNEL_ENDINGS } from '../settlement/channel-move.ts';
import { type NewSettlement, type Settlement, SPENDING_STATES } from '../settlement/settlement.ts';
import type { ChannelLimits, ChannelParty } from '../settlement/settlement-store.ts';
import type { SettlementDatabase } from './postgres-schema.ts';
import { columnsOfScope, settlementOfRow } from './settlement-row.ts';

/** The row that keeps this one from being written: a channel is opened once and ends once. */
export async function takenBy(
  transaction: Transaction<SettlementDatabase>,
  { channel, round }: NewSettlement,
): Promise<Settlement | undefined> {
  if (channel === undefined || channel.kind === 'top-up') return undefined;
  const isOpening = channel.kind === 'open';
  // If an ending's window is over while its outcome is unknown, the chain decides whether the next ending counts.
  const row = await transaction
    .selectFrom('avm402_settlements')
    .selectAll()
    .where('channel_id', '=', channel.id)
    .where('channel_move', 'in', isOpening ? ['open'] : [...CHANNEL_ENDINGS])
    .where((other) =>
      other.or([
        other('state', '=', 'confirmed'),
        other.and([
          other('state', 'in', ['recorded', 'submitted']),
          other('last_valid', '>=', sql<string>`${isOpening ? 0n : round}`),
        ]),
        // A refused opening may still be confirmed; of two endings, the chain takes only one.
        ...(isOpening ? [other('fee_held', '=', 1)] : []),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row && settlementOfRow(row);
}

export async function hasPlace(
  transaction: Transaction<SettlementDatabase>,
  { network, payer, payTo, channel }: NewSettlement,
  limits: ChannelLimits | undefined,
): Promise<boolean> {
  if (limits === undefined || channel?.kind !== 'open') return true;
  if ((await openChannelsOf(transaction, network, {})) >= limits.total) return false;
  if ((await openChannelsOf(transaction, network, { payer })) >= limits.ofPayer) return false;
  return (await openChannelsOf(transaction, network, { payTo })) < limits.ofReceiver;
}

export async function openChannelsOf(
  database: Kysely<SettlementDatabase>,
  network: Network,
  of: ChannelParty,
): Promise<number> {
  const { open } = await database
    .selectFrom('avm402_settlements')
    .select(sql<string>`count(*)`.as('open'))
    .where('channel_open', '=', sql<number>`1`)
    .where('network', '=', network)
    .where((row) => row.or([row('state', 'in', SPENDING_STATES), row('fee_held', '=', 1)]))
    .where((row) => row.and(columnsOfScope(of)))
    .executeTakeFirstOrThrow();
  return Number(open);
}
