import { encodeChannelConfig, parseChannelConfig } from '@avm402/avm/batch-settlement';
import type { SponsorshipTerms } from '@avm402/avm/sponsorship';
import { isX402ErrorCode, type X402ErrorCode } from '@avm402/core/errors';
import { canonicalNetwork } from '@avm402/core/network';
import { present } from '../present.ts';
import { CHANNEL_MOVES, type ChannelMove, type ChannelOpening } from '../settlement/channel-move.ts';
import { type DayTotal, dayText } from '../settlement/ledger.ts';
import {
  isFinal,
  type NewSettlement,
  SETTLEMENT_STATES,
  type Settlement,
  type SettlementState,
  type Transition,
} from '../settlement/settlement.ts';
import type { BudgetScope } from '../settlement/settlement-store.ts';

const BILLION = 1_000_000_000n;

/** A row of the table `settlements` from a database driver: 64-bit integers are text or bigint. */
export interface SettlementRow {
  readonly tx_id: string;
  readonly network: string;
  readonly state: string;
  readonly payer: string;
  readonly signer: string;
  /** Hex. */
  readonly lease: string | null;
  readonly fee_payer: string | null;
  readonly pay_to: string;
  readonly asset: string;
  /** Decimal text: amounts can exceed signed 64 bits. */
  readonly amount: string;
  readonly terms: string | null;
  readonly key_hash: string | null;
  readonly requirements_digest: string;
  readonly group_bytes: Uint8Array | null;
  readonly reason: string | null;
  readonly owner: string;
  readonly channel_id: string | null;
  readonly channel_move: string | null;
  /** The wire form of the configuration, as JSON; only for openings, like the next two. */
  readonly channel_config: string | null;
  readonly claim_authorizer: string | null;
  readonly round: bigint | string;
  readonly first_valid: bigint | string;
  readonly last_valid: bigint | string;
  readonly budgeted_fee: bigint | string;
  /** 1 or 0. */
  readonly advance: bigint | number;
  readonly confirmed_round: bigint | string | null;
  readonly delivered: boolean | bigint | number;
  readonly recorded_at: bigint | string;
}

/** @throws TypeError if this program can't have written the row */
export function settlementOfRow(row: SettlementRow): Settlement {
  return {
    txId: row.tx_id,
    network: canonicalNetwork(row.network),
    state: stateOf(row.state),
    round: BigInt(row.round),
    firstValid: BigInt(row.first_valid),
    lastValid: BigInt(row.last_valid),
    payer: row.payer,
    signer: row.signer,
    payTo: row.pay_to,
    asset: row.asset,
    amount: BigInt(row.amount),
    sponsoredFee: BigInt(row.budgeted_fee),
    advance: Boolean(row.advance),
    requirementsDigest: row.requirements_digest,
    delivered: Boolean(row.delivered),
    recordedAt: Number(row.recorded_at),
    owner: row.owner,
    ...present({
      terms: row.terms === null ? undefined : termsOf(row.terms),
      lease: row.lease ?? undefined,
      feePayer: row.fee_payer ?? undefined,
      keyHash: row.key_hash ?? undefined,
      group: row.group_bytes === null ? undefined : Uint8Array.from(row.group_bytes),
      reason: row.reason === null ? undefined : reasonOf(row.reason),
      confirmedRound: row.confirmed_round === null ? undefined : BigInt(row.confirmed_round),
      channel: row.channel_id === null ? undefined : channelOf(row, row.channel_id),
    }),
  };
}

/** A row of the ledger's totals. The amount is `amount_high` billions plus `amount_low`. */
export interface DayTotalRow {
  readonly day: bigint | string;
  readonly network: string;
  readonly asset: string;
  readonly channel_move: string | null;
  readonly settlements: bigint | string;
  readonly amount_low: bigint | string;
  readonly amount_high: bigint | number;
  readonly sponsored_fee: bigint | string;
}

/** @throws TypeError if this program can't have written the row */
export function dayTotalOfRow(row: DayTotalRow): DayTotal {
  return {
    day: dayText(Number(row.day)),
    network: canonicalNetwork(row.network),
    asset: row.asset,
    ...(row.channel_move !== null && { channelMove: moveOf(row.channel_move) }),
    settlements: Number(row.settlements),
    amount: BigInt(row.amount_high) * BILLION + BigInt(row.amount_low),
    sponsoredFee: BigInt(row.sponsored_fee),
  };
}

/** The columns of a new settlement, except those that the database sets. */
export function columnsOf(settlement: NewSettlement) {
  return {
    tx_id: settlement.txId,
    network: settlement.network,
    first_valid: settlement.firstValid,
    last_valid: settlement.lastValid,
    payer: settlement.payer,
    signer: settlement.signer,
    lease: settlement.lease ?? null,
    fee_payer: settlement.feePayer ?? null,
    pay_to: settlement.payTo,
    asset: settlement.asset,
    amount: String(settlement.amount),
    budgeted_fee: settlement.sponsoredFee,
    terms: settlement.terms ?? null,
    advance: settlement.advance ? 1 : 0,
    key_hash: settlement.keyHash ?? null,
    requirements_digest: settlement.requirementsDigest,
    group_bytes: settlement.group,
    ...channelColumns(settlement.channel),
  };
}

function channelColumns(channel: ChannelMove | undefined) {
  const none = { channel_config: null, claim_authorizer: null, channel_expiry: null, channel_open: null };
  return {
    channel_id: channel?.id ?? null,
    channel_move: channel?.kind ?? null,
    ...(channel?.kind === 'open' ? openingColumns(channel) : none),
  };
}

function openingColumns({ config, claimAuthorizer }: ChannelOpening) {
  return {
    channel_config: JSON.stringify(encodeChannelConfig(config)),
    claim_authorizer: claimAuthorizer,
    channel_expiry: config.expiry,
    /** 1 until the channel has ended. */
    channel_open: 1,
  };
}

/** The columns that a transition other than `released` sets, except those that the database sets. */
export function columnsOfStep(transition: Exclude<Transition, { to: 'released' }>) {
  return {
    state: transition.to,
    ...(transition.to === 'rejected' ? { reason: transition.reason, fee_held: transition.isPassedOn ? 1 : 0 } : {}),
    ...(transition.to === 'expired' ? { fee_held: 0 } : {}),
    ...(transition.to === 'confirmed' ? { confirmed_round: transition.confirmedRound } : {}),
    ...(isFinal({ state: transition.to }) ? { group_bytes: null } : {}),
  };
}

/** The columns that a budget's scope compares. */
export function columnsOfScope({ terms, payTo, payer, advance }: BudgetScope) {
  return {
    ...(terms !== undefined && { terms }),
    ...(payTo !== undefined && { pay_to: payTo }),
    ...(payer !== undefined && { payer }),
    ...(advance !== undefined && { advance: advance ? 1 : 0 }),
  };
}

function channelOf({ channel_move, channel_config, claim_authorizer }: SettlementRow, id: string): ChannelMove {
  const kind = moveOf(channel_move);
  if (kind !== 'open') return { kind, id };
  const config = parseChannelConfig(JSON.parse(channel_config ?? 'null'));
  return { kind, id, config, claimAuthorizer: claim_authorizer ?? '' };
}

function moveOf(text: string | null): ChannelMove['kind'] {
  const kind = CHANNEL_MOVES.find((known) => known === text);
  if (kind === undefined) throw new TypeError(`a settlement makes the unknown move ${text}`);
  return kind;
}

function stateOf(text: string): SettlementState {
  const state = SETTLEMENT_STATES.find((known) => known === text);
  if (state === undefined) throw new TypeError(`a settlement is in the unknown state ${text}`);
  return state;
}

function termsOf(text: string): SponsorshipTerms {
  if (text === 'listed' || text === 'anyone') return text;
  throw new TypeError(`a settlement is sponsored under the unknown terms ${text}`);
}

function reasonOf(text: string): X402ErrorCode {
  return isX402ErrorCode(text) ? text : 'settlement_rejected';
}
