import { isUptoGroup } from '@avm402/avm/upto/facilitator';
import type { SchemeInCodes, X402ErrorCode } from '@avm402/core/errors';
import type { SponsorshipTerms } from '@avm402/avm/sponsorship';
import type { Network } from '@avm402/core/network';
import type { ChannelMove } from './channel-move.ts';

/**
 * The progress of a settlement:
 * `recorded`   written, nothing sent yet;
 * `submitted`  sent or about to be sent, the outcome is open;
 * `rejected`   refused by a node, but alive until `lastValid`: an answer to the caller, not the end;
 * `confirmed`, `expired`   final: the payment is in a block, or never will be.
 */
export type SettlementState = (typeof SETTLEMENT_STATES)[number];

export const SETTLEMENT_STATES = ['recorded', 'submitted', 'rejected', 'confirmed', 'expired'] as const;

/** What is known of a payment when its settlement begins. */
export interface NewSettlement {
  /** The payment transaction's id, and the row's key everywhere. */
  readonly txId: string;
  /** CAIP-2, short form. */
  readonly network: Network;
  /** The latest round that this facilitator's nodes have shown; a payment confirmed up to it is not ours. */
  readonly round: bigint;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly payer: string;
  /**
   * The account whose signature was verified: the payer, or the one that the payer is rekeyed to. Where only the chain
   * judges what authorizes the payment, a digest of it follows.
   */
  readonly signer: string;
  /** Hex of the lease that a program's payment holds: two of the payer's payments with it can't both be confirmed. */
  readonly lease?: string;
  /** The sponsor; absent when the payment carries its own fee. */
  readonly feePayer?: string;
  readonly payTo: string;
  /** Asset id in decimal. */
  readonly asset: string;
  /** Atomic units. */
  readonly amount: bigint;
  /** µAlgo that the sponsor pays, plus the ALGO of an account that it hands over; 0 if it carries its own fee. */
  readonly sponsoredFee: bigint;
  /** The terms under which the sponsor pays; absent when the payment carries its own fee. */
  readonly terms?: SponsorshipTerms;
  /**
   * Whether the sponsor pays before the seller has received what that is worth: for a channel, or for a charge below
   * the least amount.
   */
  readonly advance: boolean;
  /** Hex SHA-256 of the Idempotency-Key; absent when there was none. */
  readonly keyHash?: string;
  /** Hex SHA-256 of the requirements' content. */
  readonly requirementsDigest: string;
  /** The signed group, exactly as it is sent; kept until the outcome is final. */
  readonly group: Uint8Array;
  /** What the settlement does to a channel; absent for a plain payment. */
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
  /** Whether the success has been handed out; matters only if there is no key. */
  readonly delivered: boolean;
  /** Milliseconds since 1970. */
  readonly recordedAt: number;
  /** The replica that works on it. */
  readonly owner: string;
}

/** The parts of a row that tell its scheme. It has no column, because only the codes of a refusal depend on it. */
type Marks = Pick<Settlement, 'channel' | 'group'>;

/** How each scheme's rows are told from those of `exact`; the compiler asks for every scheme with codes of its own. */
const IS_OF: Readonly<Record<Exclude<SchemeInCodes, 'exact'>, (row: Marks) => boolean>> = {
  batch_settlement: ({ channel }) => channel !== undefined,
  upto: ({ group }) => group !== undefined && isUptoGroup(group),
};

/** The scheme whose codes name the refusal of a settlement. */
export function schemeInCodes(row: Marks): SchemeInCodes {
  const schemes = Object.keys(IS_OF) as (keyof typeof IS_OF)[];
  return schemes.find((scheme) => IS_OF[scheme](row)) ?? 'exact';
}

/** A step of a settlement, with the facts that it adds. */
export type Transition =
  | { readonly to: 'submitted' }
  /**
   * `isPassedOn`: a node may have passed the group on before, so the sponsor may have to pay until it is expired. Default:
   * no node has had it.
   */
  | { readonly to: 'rejected'; readonly reason: X402ErrorCode; readonly isPassedOn?: boolean }
  | { readonly to: 'confirmed'; readonly confirmedRound: bigint }
  | { readonly to: 'expired' }
  /** The row is removed: the payment reached the chain without us, so it never was a settlement of ours. */
  | { readonly to: 'released' };

/** The states from which each step may be made. Every store obeys this table. */
export const TRANSITIONS = {
  submitted: ['recorded'],
  rejected: ['submitted'],
  confirmed: ['submitted', 'rejected'],
  expired: ['submitted', 'rejected'],
  released: ['recorded', 'submitted', 'rejected'],
} as const satisfies Readonly<Record<Transition['to'], readonly SettlementState[]>>;

/**
 * States whose fee counts as spent: the sponsor pays it, or may still have to. The fee of a rejected
 * settlement also counts if a node may have passed it on.
 */
export const SPENDING_STATES = ['recorded', 'submitted', 'confirmed'] as const satisfies readonly SettlementState[];

/** Whether this state is the last one. */
export function isFinal({ state }: { readonly state: SettlementState }): boolean {
  return state === 'confirmed' || state === 'expired';
}

/** States of a row whose outcome is open. */
export const UNFINISHED_STATES = SETTLEMENT_STATES.filter((state) => !isFinal({ state }));

/**
 * Whether a move rules out another one like it at this round. An ending does not if its window is over while its
 * outcome is unknown: the chain accepts only one of the two.
 */
export function excludesNext({ state, channel, lastValid }: Settlement, round: bigint): boolean {
  if (state === 'confirmed') return true;
  return (state === 'recorded' || state === 'submitted') && (channel?.kind === 'open' || lastValid >= round);
}
