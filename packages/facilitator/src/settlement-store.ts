import type { X402ErrorCode } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { NewSettlement, Settlement } from './settlement.ts';

/** What `record` found: the row is new, or there already was one, or the budget for anyone is spent. */
export type RecordOutcome =
  | { readonly outcome: 'recorded' | 'exists'; readonly settlement: Settlement }
  | { readonly outcome: 'over_budget' };

/** µAlgo that may be spent on one network for payments outside the list of sellers, in the time since `since`. */
export interface Budget {
  readonly microAlgos: bigint;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface RecordOptions {
  /** The replica that will work on the settlement, and for how long the others leave it alone. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Applies if the settlement has a `budgetedFee`. */
  readonly budget?: Budget;
}

export interface TakeOverOptions {
  readonly owner: string;
  readonly leaseMs: number;
  /** CAIP-2, short form. */
  readonly networks: readonly Network[];
}

/**
 * The record of every settlement, written before anything is sent. One row a TxID; every change is atomic and is made
 * only by the row's owner, so that of two replicas that believe they own a row one is told that it does not.
 * A method that can't do its work throws: nothing is settled then.
 */
export interface SettlementStore {
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
  /** recorded → submitted. False if the row is not ours or not there any more, here and below. */
  submit(txId: string, owner: string): Promise<boolean>;
  /** submitted → rejected. */
  reject(txId: string, owner: string, reason: X402ErrorCode): Promise<boolean>;
  /** submitted, rejected → confirmed. */
  confirm(txId: string, owner: string, confirmedRound: bigint): Promise<boolean>;
  /** submitted, rejected → expired. */
  expire(txId: string, owner: string): Promise<boolean>;
  /** Removes a row whose payment turned out to be on chain without us: it never was a settlement of ours. */
  release(txId: string, owner: string): Promise<boolean>;
  /** Sets `delivered` on a confirmed row; true for the one call that did. */
  deliver(txId: string): Promise<boolean>;
  /**
   * Unfinished rows of these networks that are the owner's, or whose owner's lease has run out. They are the owner's
   * from now on, with a new lease.
   */
  takeOver(options: TakeOverOptions): Promise<Settlement[]>;
  /** µAlgo of `budgetedFee` recorded on a network since then (ms since 1970), without what expired. */
  budgetSpent(network: Network, since: number): Promise<bigint>;
  /** Raises the network's highest round. */
  raiseRound(network: Network, round: bigint): Promise<void>;
  /** Lowers the network's highest round, and with it the round of unfinished rows: a development node went back. */
  lowerRound(network: Network, round: bigint): Promise<void>;
  /**
   * Removes up to `limit` final rows and returns how many: those whose last lease ended before `before` (ms since 1970),
   * so that an outcome that came late is kept no shorter, and whose window ended before their network's highest
   * round − 10.
   */
  prune(options: { readonly before: number; readonly limit: number }): Promise<number>;
  close(): Promise<void>;
}

/** Rounds after a payment's last valid one during which its row is needed for safety, whatever the retention. */
export const SAFETY_ROUNDS = 10n;
