import { LONGEST_TIMER_MS } from '@avm402/core/durations';
import { unknownName } from '@avm402/core/likely-name';
import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';
import { invalidOption } from '../invalid-option.ts';
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

const RULES: Readonly<Record<keyof ChannelOptions, readonly [rule: string, isRight: (value: unknown) => boolean]>> = {
  store: ['must be a channel store', isStore],
  claimKey: [`must be ${SEED_BYTES} bytes`, (value) => value instanceof Uint8Array && value.length === SEED_BYTES],
  idleMs: ['must be a whole number above 0', isCount],
  maxOwed: ['must be a bigint above 0', isAmount],
  closingRounds: ['must be a bigint above 0', isAmount],
  sweepMs: [
    `must be a whole number from 1 to ${LONGEST_TIMER_MS}`,
    (value) => isCount(value) && Number(value) <= LONGEST_TIMER_MS,
  ],
  openingsPerPeer: ['must be a whole number above 0', isCount],
};

/**
 * Checks how a seller takes payments by channels. Unknown names are refused, because a mistyped limit would not apply.
 * @throws X402Error `invalid_option`
 */
export function checkChannelOptions(options: ChannelOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidOption('channels', 'must be an object with a channel store: { store }');
  }
  const names = Object.keys(RULES);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalidOption(`channels.${unknown}`, unknownName(unknown, names));
  for (const [name, [rule, isRight]] of Object.entries(RULES)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined && name !== 'store') continue;
    if (!isRight(value)) throw invalidOption(`channels.${name}`, rule);
  }
}

function isStore(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'write') === 'function';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isAmount(value: unknown): boolean {
  return typeof value === 'bigint' && value > 0n;
}
