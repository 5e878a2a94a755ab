import type { Network } from '@avm402/core/network';
import type { Catalogue } from '../discovery/catalogue.ts';
import type { Ledger } from './ledger.ts';
import type { NewSettlement, Settlement, Transition } from './settlement.ts';

/**
 * What `record` found: the row is new, or there already was one, or a budget is spent; or of its channel there is another
 * opening, or another ending that is under way or confirmed; or as many channels are open as may be.
 */
export type RecordOutcome =
  | { readonly outcome: 'recorded' | 'exists' | 'channel_taken'; readonly settlement: Settlement }
  | { readonly outcome: 'over_budget' | 'too_many_channels' };

/** Which sponsored settlements a budget counts: those of its network that have all of these. */
export type BudgetScope = Partial<Pick<NewSettlement, 'terms' | 'payTo' | 'payer' | 'advance'>>;

/** µAlgo that the sponsor may spend on one network within a scope, in the time since `since`. */
export interface Budget {
  readonly scope: BudgetScope;
  readonly microAlgos: bigint;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface RecordOptions {
  /** The replica that will work on the settlement, and for how long the others leave it alone. */
  readonly owner: string;
  readonly leaseMs: number;
  /** All of them must have room for the settlement's `sponsoredFee`. Default: none. */
  readonly budgets?: readonly Budget[];
  /** For an opening: how many channels may be open with it. Default: any number. */
  readonly channelLimits?: ChannelLimits;
}

/** Most channels of one network that are open at a time. */
export interface ChannelLimits {
  readonly ofPayer: number;
  readonly ofReceiver: number;
  readonly total: number;
}

/** Whose channels are counted. */
export type ChannelParty = Partial<Pick<NewSettlement, 'payer' | 'payTo'>>;

export interface TakeOverOptions {
  readonly owner: string;
  readonly leaseMs: number;
  /** CAIP-2, short form. */
  readonly networks: readonly Network[];
  /** Also the rows that are the owner's already: it may have lost sight of some. Default: no. */
  readonly withOwn?: boolean;
}

/**
 * The record of every settlement, written before anything is sent. One row a TxID; every change is atomic and is made
 * only by the row's owner, so that of two replicas that believe they own a row one is told that it does not.
 * A method that can't do its work throws: nothing is settled then.
 */
export interface SettlementStore extends Ledger {
  /** The resources for which payments were settled, in the same place. */
  readonly catalogue: Catalogue;
  /** Makes the store ready: file, schema, connection. Called once, before anything else. */
  open(): Promise<void>;
  /** Which store this is: random, made with the store, the same for all who share it. */
  id(): Promise<string>;
  /**
   * Writes the row, unless there is one for this TxID. Its `round` becomes the highest round known for the network, and
   * the network's highest round at least its `round`.
   */
  record(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome>;
  find(txId: string): Promise<Settlement | undefined>;
  /**
   * Makes a step that the row's state allows (`TRANSITIONS`). False if it does not, or if the row is not the owner's or
   * not there any more.
   */
  change(txId: string, owner: string, transition: Transition): Promise<boolean>;
  /** Sets `delivered` on a confirmed row; true for the one call that did. */
  deliver(txId: string): Promise<boolean>;
  /**
   * Renews the owner's lease on everything it works on, and returns the unfinished rows of these networks whose owner's
   * lease has run out: they are this owner's from now on. Costs the same however many unfinished rows the owner has.
   */
  takeOver(options: TakeOverOptions): Promise<Settlement[]>;
  /**
   * What is left of a budget in µAlgo, capped at `upTo`: `sponsoredFee` of what was recorded within its scope and time counts as
   * spent, but for what was refused or expired. Below 0 where the budget was larger before.
   */
  budgetLeft(network: Network, budget: Budget, upTo: bigint): Promise<bigint>;
  /** The openings and endings of a channel that were recorded, oldest first. */
  channel(id: string): Promise<Settlement[]>;
  /** How many channels are open: of the network, or of one payer or receiver there. */
  openChannels(network: Network, of?: ChannelParty): Promise<number>;
  /** The confirmed openings of channels that are open and whose expiry is before `round`, those that expired first first. */
  expiredChannels(network: Network, options: { readonly round: bigint; readonly limit: number }): Promise<Settlement[]>;
  /** The channel is not open any more: it holds nothing of its funder's. */
  endChannel(id: string): Promise<void>;
  /** Raises the network's highest round. */
  raiseRound(network: Network, round: bigint): Promise<void>;
  /** Lowers the network's highest round, and with it the round of unfinished rows: a development node went back. */
  lowerRound(network: Network, round: bigint): Promise<void>;
  /**
   * Removes up to `limit` final rows and returns how many: those that became final before `before` (ms since 1970), and
   * whose window ended before their network's highest round − 10. An opening stays until its channel's expiry is as old,
   * for nothing else tells that the address was used, and as long as the channel is open, for nothing else tells of what was
   * lent to it.
   */
  prune(options: { readonly before: number; readonly limit: number }): Promise<number>;
  /**
   * Writes something that changes nothing.
   * @throws if the store takes no writes
   */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/** Rounds after a payment's last valid one during which its row is needed for safety, whatever the retention. */
export const SAFETY_ROUNDS = 10n;
