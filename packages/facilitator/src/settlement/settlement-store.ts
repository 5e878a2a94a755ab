import type { Network } from '@avm402/core/network';
import type { Catalogue } from '../discovery/catalogue.ts';
import type { Ledger } from './ledger.ts';
import type { NewSettlement, Settlement, Transition } from './settlement.ts';

/**
 * The result of `record`: the row is new; a row exists already; a budget is spent; the channel has another opening, or
 * another ending that is under way or confirmed; the limit of open channels is reached; or another payment that is under
 * way holds the lease.
 */
export type RecordOutcome =
  | { readonly outcome: 'recorded' | 'exists' | 'channel_taken'; readonly settlement: Settlement }
  | { readonly outcome: 'over_budget' | 'too_many_channels' | 'lease_held' };

/** The sponsored settlements that a budget counts: those of its network that match all of these. */
export type BudgetScope = Partial<Pick<NewSettlement, 'terms' | 'payTo' | 'payer' | 'advance'>>;

/** µAlgo that the sponsor may spend on one network within a scope from `since` on. */
export interface Budget {
  readonly scope: BudgetScope;
  readonly microAlgos: bigint;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface RecordOptions {
  /** The replica that will work on the settlement, and for how long other replicas leave it alone. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Every one of these must have room for the settlement's `sponsoredFee`. Default: none. */
  readonly budgets?: readonly Budget[];
  /** For an opening: how many channels may be open, this one included. Default: no limit. */
  readonly channelLimits?: ChannelLimits;
}

/** Most channels of one network that may be open at a time. */
export interface ChannelLimits {
  readonly ofPayer: number;
  readonly ofReceiver: number;
  readonly total: number;
}

/** A lease of a payer at a round. */
export type HeldLease = Required<Pick<NewSettlement, 'network' | 'payer' | 'lease' | 'round'>>;

/** The payer or receiver whose channels are counted. */
export type ChannelParty = Partial<Pick<NewSettlement, 'payer' | 'payTo'>>;

export interface TakeOverOptions {
  readonly owner: string;
  readonly leaseMs: number;
  /** CAIP-2, short form. */
  readonly networks: readonly Network[];
  /** Also returns rows that the owner has already: it may have lost track of some. Default: no. */
  readonly withOwn?: boolean;
}

/**
 * The record of every settlement, written before anything is sent. There is one row for each TxID. Every change is
 * atomic, and only the row's owner can make it: if two replicas both believe that they own a row, one is told that it
 * does not. A method that can't do its work throws; then nothing is settled.
 */
export interface SettlementStore extends Ledger {
  /** The catalogue of resources for which payments were settled, in the same store. */
  readonly catalogue: Catalogue;
  /** Makes the store ready: file, schema, connection. Called once, before anything else. */
  open(): Promise<void>;
  /** This store's id: random, created with the store, the same for all who share it. */
  id(): Promise<string>;
  /**
   * Writes the row, unless there is one for this TxID. The row's `round` and the network's highest round both become
   * the higher of the two.
   */
  record(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome>;
  find(txId: string): Promise<Settlement | undefined>;
  /** The TxID of the payer's payment that has this lease and is recorded or submitted, if its window is not over. */
  leaseHolder(lease: HeldLease): Promise<string | undefined>;
  /**
   * Makes a step that the row's state allows (`TRANSITIONS`). False if the state does not allow it, or if the row is
   * gone or is not the owner's.
   */
  change(txId: string, owner: string, transition: Transition): Promise<boolean>;
  /** Sets `delivered` on a confirmed row; true only for the one call that set it. */
  deliver(txId: string): Promise<boolean>;
  /**
   * Renews the owner's lease on all its work, and takes over the unfinished rows of these networks whose owner's lease
   * has run out. Returns the rows taken over. The cost does not depend on how many unfinished rows the owner has.
   */
  takeOver(options: TakeOverOptions): Promise<Settlement[]>;
  /**
   * What is left of a budget in µAlgo, capped at `upTo`. Counts the `sponsoredFee` of every settlement recorded within
   * the budget's scope and time, except refused and expired ones. Below 0 if the budget was larger before.
   */
  budgetLeft(network: Network, budget: Budget, upTo: bigint): Promise<bigint>;
  /** The recorded openings and endings of a channel, oldest first. */
  channel(id: string): Promise<Settlement[]>;
  /** The number of open channels: of the network, or of one payer or receiver there. */
  openChannels(network: Network, of?: ChannelParty): Promise<number>;
  /** The confirmed openings of open channels whose expiry is before `round`, earliest expiry first. */
  expiredChannels(network: Network, options: { readonly round: bigint; readonly limit: number }): Promise<Settlement[]>;
  /** Marks the channel as closed: it holds nothing of its funder's any more. */
  endChannel(id: string): Promise<void>;
  /** Raises the network's highest round. */
  raiseRound(network: Network, round: bigint): Promise<void>;
  /** Lowers the network's highest round and the round of its unfinished rows: a development node went back. */
  lowerRound(network: Network, round: bigint): Promise<void>;
  /**
   * Removes up to `limit` final rows and returns how many: rows that became final before `before` (ms since 1970), and
   * whose window ended before their network's highest round − 10. The row of an opening stays until its channel's
   * expiry is that old, because only this row shows that the address was used; and while the channel is open, because
   * only this row shows what was lent to it.
   */
  prune(options: { readonly before: number; readonly limit: number }): Promise<number>;
  /**
   * Writes something that changes nothing.
   * @throws if the store takes no writes
   */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/** A row is kept for this many rounds after its payment's last valid round, even if its retention is shorter. */
export const SAFETY_ROUNDS = 10n;
