import type { ChannelStore } from './channel-store.ts';

/** How a seller takes payments by channels (scheme `batch-settlement`). */
export interface ChannelOptions {
  /** The record of channels: the seller's money. Servers that sell the same resources share one. */
  readonly store: ChannelStore;
  /** Seed of the claim key, 32 bytes. Default: made once, and kept in the store. */
  readonly claimKey?: Uint8Array;
  /** A channel that paid for nothing for so long is closed, in milliseconds. Default: a day. */
  readonly idleMs?: number;
  /** A channel that owes so much is closed, in atomic units of its asset. Default: no limit but its deposit. */
  readonly maxOwed?: bigint;
  /** Rounds before the expiry in which a channel is closed. Default: 1,000, or half of the offer's least lifetime. */
  readonly closingRounds?: bigint;
  /** Time between two looks for channels to close, in milliseconds. Default: 15 seconds. */
  readonly sweepMs?: number;
}
