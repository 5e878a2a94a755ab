import type { Channel, ChannelRequest } from './channel.ts';

/** A change of one channel, with all that must be on record together with it. */
export interface ChannelChange {
  readonly next: Channel;
  /** The version that the change was made from; absent for a channel that is new. */
  readonly previous?: number;
  /** Requests that were charged; each replaces the row of its amount, if there is one. */
  readonly requests?: readonly ChannelRequest[];
  /** TxIDs of deposits that `next.balance` is the first to count. */
  readonly deposits?: readonly string[];
}

/**
 * What became of a change: `outdated` if another version was written meanwhile, or one of its deposits was counted before;
 * nothing of it is on record then.
 */
export type ChangeOutcome = 'stored' | 'outdated';

/** A request as it is needed to tell new vouchers from old ones. */
export type RememberedRequest = Pick<ChannelRequest, 'amount' | 'charge' | 'owner'> & { readonly paymentId?: string };

/** A part of a list, in the order of channel ids. */
export interface ChannelPage {
  /** The last id of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** A row that can't be read: it is damaged, or of a later version of this program. */
export interface UnreadableChannel {
  readonly channelId: string;
  readonly error: unknown;
}

/**
 * The record of channels: the seller's money. It decides nothing: it keeps one row a channel, replaces it only from the
 * version that the writer has seen, and keeps the channel's requests beside it. Servers that sell the same resources share
 * one. A method that can't do its work throws: nothing is served then.
 */
export interface ChannelStore {
  get(channelId: string): Promise<Channel | undefined>;
  /**
   * Writes changes of different channels, an outcome for each. Each is atomic; `outdated` concerns none of the others.
   * What is `stored` is durable when the promise resolves. Requests below `next.floor` are forgotten; of a channel that is
   * closed or lost all requests and deposits are: its row alone refuses what comes again.
   */
  write(changes: readonly ChannelChange[]): Promise<readonly ChangeOutcome[]>;
  /** The channel's requests that are not forgotten, in the order of their amounts. */
  remembered(channelId: string): Promise<readonly RememberedRequest[]>;
  request(channelId: string, amount: bigint): Promise<ChannelRequest | undefined>;
  /** Whether a deposit is counted in the balance of a channel that is neither closed nor lost. */
  hasDeposit(txId: string): Promise<boolean>;
  /** Channels that are neither closed nor lost. One that can't be read keeps none of the others back. */
  unfinished(page: ChannelPage): Promise<readonly (Channel | UnreadableChannel)[]>;
  /** Forgets the responses that were kept until `now`, milliseconds since 1970; not their requests. */
  prune(now: number): Promise<void>;
  /** The seller's claim key: keeps the seed that was made, unless there is one, and returns the one that is kept. */
  claimKey(made: Uint8Array): Promise<Uint8Array>;
}
