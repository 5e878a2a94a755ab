import { count, type Kind, type Kinds, object, objectWith } from '@avm402/core/option-kinds';
import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';
import { checkOptions, invalidOption, pause } from '../invalid-option.ts';
import type { PaymentEvent } from '../payment-event.ts';
import type { ChannelStore } from './record/channel-store.ts';

/** How a seller takes payments by channels (scheme `batch-settlement`). */
export interface ChannelOptions {
  /** The record of channels, which is the seller's money. Servers that sell the same resources share one. */
  readonly store: ChannelStore;
  /** Seed of the claim key, 32 bytes. Default: made once and kept in the store. */
  readonly claimKey?: Uint8Array;
  /** Time without a payment after which a channel is closed, in milliseconds. Default: a day. */
  readonly idleMs?: number;
  /** Debt at which a channel is closed, in atomic units of its asset. Default: no limit but its deposit. */
  readonly maxOwed?: bigint;
  /**
   * Rounds before the expiry at which a channel is closed. Default: 1,000, or half of the offer's least lifetime if
   * that is less.
   */
  readonly closingRounds?: bigint;
  /** Time between two searches for channels to close, in milliseconds. Default: 15 seconds. */
  readonly sweepMs?: number;
  /**
   * Channels that one address (IPv4, or IPv6 /64) may open here within an hour without paying for anything by them.
   * Loopback and unknown addresses have no limit. Default: 20.
   */
  readonly openingsPerPeer?: number;
}

/** What channels need from their seller. */
export interface ChannelsContext {
  readonly pool: FacilitatorPool;
  readonly report: (event: PaymentEvent) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonicNow: () => number;
  /** Time for one verification. */
  readonly verifyTimeoutMs: number;
  /** Time for one claim. */
  readonly settleTimeoutMs: number;
  /** Time for the requests under way when a channel closes. */
  readonly maxWaitMs: number;
}

const SEED_BYTES = 32;

const amount: Kind = { words: 'a bigint above 0', fits: (value) => typeof value === 'bigint' && value > 0n };

const KINDS: Kinds<ChannelOptions> = {
  store: objectWith('write'),
  claimKey: {
    words: `${SEED_BYTES} bytes`,
    fits: (value) => value instanceof Uint8Array && value.length === SEED_BYTES,
  },
  idleMs: count,
  maxOwed: amount,
  closingRounds: amount,
  sweepMs: pause,
  openingsPerPeer: count,
};

/**
 * Checks how a seller takes payments by channels.
 * @throws X402Error `invalid_option`
 */
export function checkChannelOptions(options: ChannelOptions): void {
  if (!object.fits(options)) throw invalidOption('channels', 'must be an object with a channel store: { store }');
  // In JavaScript the store may be missing.
  checkOptions({ ...options, store: options.store ?? null }, KINDS, 'channels.');
}
