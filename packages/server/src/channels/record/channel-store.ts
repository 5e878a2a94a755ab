import type { Channel, ChannelRequest } from './channel.ts';

/** A change of one channel, with everything that must be recorded together with it. */
export interface ChannelChange {
  readonly next: Channel;
  /** The version that the change was made from; absent for a new channel. */
  readonly previous?: number;
  /** Requests that were charged; each replaces the row of its amount, if there is one. */
  readonly requests?: readonly ChannelRequest[];
  /** TxIDs of deposits that `next.balance` counts for the first time. */
  readonly deposits?: readonly string[];
}

/**
 * What became of a change: `outdated` if another version was written since, or if one of its deposits was counted
 * before. Then nothing of it is on record.
 */
export type ChangeOutcome = 'stored' | 'outdated';

/** The parts of a request that are needed to tell new vouchers from old ones. */
export type RememberedRequest = Pick<ChannelRequest, 'amount' | 'charge' | 'owner'> & { readonly paymentId?: string };

/** A part of a list, in the order of channel ids. */
export interface ChannelPage {
  /** The last id of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** A row that can't be read: it is damaged, or was written by a later version of this program. */
export interface UnreadableChannel {
  readonly channelId: string;
  readonly error: unknown;
}

/**
 * The record of channels, which is the seller's money. It decides nothing: it keeps one row per channel, replaces it
 * only from the version that the writer has seen, and keeps the channel's requests beside it. Servers that sell the
 * same resources share one. A method that can't do its work throws; then nothing is served.
 */
export interface ChannelStore {
  get(channelId: string): Promise<Channel | undefined>;
  /**
   * Writes changes of different channels, and returns an outcome for each. Each is atomic; an `outdated` one does not
   * affect the others. What is `stored` is durable when the promise resolves. Requests below `next.floor` are
   * forgotten. When a channel is closed or lost, all its requests and deposits are forgotten: its row alone refuses
   * what comes again.
   */
  write(changes: readonly ChannelChange[]): Promise<readonly ChangeOutcome[]>;
  /** The channel's requests that are not forgotten, in the order of their amounts. */
  remembered(channelId: string): Promise<readonly RememberedRequest[]>;
  request(channelId: string, amount: bigint): Promise<ChannelRequest | undefined>;
  /** Whether a deposit is counted in the balance of a channel that is open or closing. */
  hasDeposit(txId: string): Promise<boolean>;
  /** Channels that are open or closing. One that can't be read does not hold the others back. */
  unfinished(page: ChannelPage): Promise<readonly (Channel | UnreadableChannel)[]>;
  /** Forgets the responses that were kept until `now`, in milliseconds since 1970, but not their requests. */
  prune(now: number): Promise<void>;
  /** The seller's claim key: keeps the given seed unless there is one already, and returns the seed that is kept. */
  claimKey(made: Uint8Array): Promise<Uint8Array>;
}
