import { isUptoGroup } from '@avm402/avm/upto/facilitator';
import type { SchemeInCodes, X402ErrorCode } from '@avm402/core/errors';
import type { SponsorshipTerms } from '@avm402/avm/exact/facilitator';
import type { Network } from '@avm402/core/network';
import type { ChannelMove } from './channel-move.ts';

/**
 * How far a settlement is:
 * `recorded`   written, nothing sent yet;
 * `submitted`  sent or about to be sent, the outcome is open;
 * `rejected`   refused by the node, but alive until `lastValid`: an answer to the caller, not the end;
 * `confirmed`, `expired`   final: the payment is in a block, or never will be.
 */
export type SettlementState = (typeof SETTLEMENT_STATES)[number];

export const SETTLEMENT_STATES = ['recorded', 'submitted', 'rejected', 'confirmed', 'expired'] as const;

/** What is known of a payment when its settlement begins. */
export interface NewSettlement {
  /** The payment transaction's id, the key of everything. */
  readonly txId: string;
  /** CAIP-2, short form. */
  readonly network: Network;
  /** The latest round that this facilitator's nodes have shown; what is confirmed up to it is not this settlement's. */
  readonly round: bigint;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly payer: string;
  /** The account whose signature was verified: the payer, or the one that the payer is rekeyed to. */
  readonly signer: string;
  /** The sponsor; absent when the payment carries its own fee. */
  readonly feePayer?: string;
  readonly payTo: string;
  /** Asset id in decimal. */
  readonly asset: string;
  /** Atomic units. */
  readonly amount: bigint;
  /** µAlgo that the sponsor pays, with the ALGO of an account that it hands over; 0 when the payment carries its own fee. */
  readonly sponsoredFee: bigint;
  /** The terms under which the sponsor pays; absent when the payment carries its own fee. */
  readonly terms?: SponsorshipTerms;
  /** Whether the sponsor pays before the seller has got what that is worth: a channel, or a charge below the least amount. */
  readonly advance: boolean;
  /** Hex SHA-256 of the Idempotency-Key; absent when there was none. */
  readonly keyHash?: string;
  /** Hex SHA-256 of what the requirements ask for. */
  readonly requirementsDigest: string;
  /** The signed group as it is sent; kept until the outcome is final. */
  readonly group: Uint8Array;
  /** What it does to a channel; absent: it is a payment of its own. */
  readonly channel?: ChannelMove;
}

/** One row of a settlement store. */
export interface Settlement extends Omit<NewSettlement, 'group'> {
  readonly state: SettlementState;
  /** Absent once the outcome is final. */
  readonly group?: Uint8Array;
  /** Why it was rejected. */
  readonly reason?: X402ErrorCode;
  readonly confirmedRound?: bigint;
  /** Whether the success has been handed out; only counts when there is no key. */
  readonly delivered: boolean;
  /** Milliseconds since 1970. */
  readonly recordedAt: number;
  /** The replica that works on it. */
  readonly owner: string;
}

/** The scheme whose codes say why a settlement is refused. */
export function schemeInCodes({ channel, group }: Pick<Settlement, 'channel' | 'group'>): SchemeInCodes {
  if (channel !== undefined) return 'batch_settlement';
  return group !== undefined && isUptoGroup(group) ? 'upto' : 'exact';
}

/** A step of a settlement, with what is known after it. */
export type Transition =
  | { readonly to: 'submitted' }
  | { readonly to: 'rejected'; readonly reason: X402ErrorCode }
  | { readonly to: 'confirmed'; readonly confirmedRound: bigint }
  | { readonly to: 'expired' }
  /** The row is removed: the payment was on chain without us, so it never was a settlement of ours. */
  | { readonly to: 'released' };

/** From which states each step leads. Every store obeys this table. */
export const TRANSITIONS = {
  submitted: ['recorded'],
  rejected: ['submitted'],
  confirmed: ['submitted', 'rejected'],
  expired: ['submitted', 'rejected'],
  released: ['recorded', 'submitted', 'rejected'],
} as const satisfies Readonly<Record<Transition['to'], readonly SettlementState[]>>;

/** States whose fee counts as spent: the sponsor pays it, or may still have to. */
export const SPENDING_STATES = ['recorded', 'submitted', 'confirmed'] as const satisfies readonly SettlementState[];

/** Whether nothing changes after this state. */
export function isFinal({ state }: { readonly state: SettlementState }): boolean {
  return state === 'confirmed' || state === 'expired';
}

/** States of a row whose outcome is open. */
export const UNFINISHED_STATES = SETTLEMENT_STATES.filter((state) => !isFinal({ state }));

/**
 * Whether a move excludes another one like it, at this round. An ending whose window is over before anybody knows its
 * outcome does not: the chain takes one of the two.
 */
export function excludesNext({ state, channel, lastValid }: Settlement, round: bigint): boolean {
  if (state === 'confirmed') return true;
  return (state === 'recorded' || state === 'submitted') && (channel?.kind === 'open' || lastValid >= round);
}
