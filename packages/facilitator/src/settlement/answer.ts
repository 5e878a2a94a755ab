import { X402Error, errorCatalogue } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import { isFinal, type Settlement } from './settlement.ts';
import type { SettledRow } from './settler.ts';

/** The answer of `GET /settlements/{txid}`. */
export interface SettlementStatus {
  readonly transaction: string;
  /** CAIP-2, short form. */
  readonly network: Network;
  readonly state: Settlement['state'];
  /** Whether the state can't change any more. */
  readonly final: boolean;
  readonly payer: string;
  readonly lastValid: number;
  readonly confirmedRound?: number;
  /** Why it was rejected. */
  readonly errorReason?: string;
}

export function statusOf(settlement: Settlement): SettlementStatus {
  const { txId, network, state, payer, lastValid, confirmedRound, reason } = settlement;
  return {
    transaction: txId,
    network,
    state,
    final: isFinal(settlement),
    payer,
    lastValid: Number(lastValid),
    ...(confirmedRound !== undefined && { confirmedRound: Number(confirmedRound) }),
    ...(reason !== undefined && { errorReason: reason }),
  };
}

const MAX_NETWORK_CHARACTERS = 64;

/** The network as the caller spells it. An answer needs one even if the requirements, not parsed yet, have none. */
export function spelledNetwork(requirements: { readonly network?: unknown }): Network {
  const { network } = requirements;
  return (typeof network === 'string' ? network.slice(0, MAX_NETWORK_CHARACTERS) : '') as Network;
}

/** The answer of settle for a row; `network` is spelled as the requirements spell it. */
export function settleAnswer(settlement: SettledRow, network: Network): SettleResponse {
  const { txId, payer, state, lastValid, takenAt } = settlement;
  const parties = { payer, transaction: txId, network };
  if (state === 'confirmed') return { success: true, ...parties, ...confirmedFacts(settlement) };
  const errorReason = failureReason(settlement);
  return {
    success: false,
    errorReason,
    errorMessage: errorCatalogue[errorReason].meaning,
    ...parties,
    extra: {
      ...(takenAt !== undefined && { accepted: true, lastRound: String(takenAt) }),
      state,
      lastValid: Number(lastValid),
    },
  };
}

/**
 * The block's round, which callers without a node count by, and what became of a channel: for an ending, the amount
 * that the receiver got.
 */
function confirmedFacts({ channel, amount, confirmedRound }: Settlement): Pick<SettleResponse, 'amount' | 'extra'> {
  const block = { ...(confirmedRound !== undefined && { confirmedRound: String(confirmedRound) }) };
  if (channel === undefined) return { extra: block };
  return { amount: String(amount), extra: { channelId: channel.id, move: channel.kind, ...block } };
}

function failureReason({ state, reason }: Settlement) {
  if (state === 'expired') return 'settlement_expired';
  if (state === 'rejected') return reason ?? 'settlement_rejected';
  return 'settlement_pending';
}

/** The answer of settle for a refusal. Nothing was submitted for this caller; a duplicate names the transaction. */
export function settleRefusal(error: X402Error, network: Network): SettleResponse {
  const { transaction = '' } = error.details;
  return {
    success: false,
    errorReason: error.code,
    errorMessage: error.message,
    transaction: String(transaction),
    network,
  };
}
