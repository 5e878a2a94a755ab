import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';
import { type ChannelPolicy, CHANNEL_MINIMUM_BALANCE } from '@avm402/avm/batch-settlement/facilitator';
import type { Sponsor } from '@avm402/avm/sponsorship';
import { X402Error } from '@avm402/core/errors';
import type { Chain } from '../chain/chain.ts';
import type { ChannelLimits } from '../settlement/settlement-store.ts';

/** The channels for which the sponsor lends the ALGO, among the sellers and assets whose payments it sponsors. */
export interface ChannelOptions {
  /**
   * Least deposit that opens a channel, in atomic units. Default: 1 on development networks; elsewhere no channel is
   * opened.
   */
  readonly minDeposit?: bigint;
  /** Least rounds from opening to expiry. Default 30,000, a day; on development networks 1,000. */
  readonly minRounds?: bigint;
  /** Most rounds from opening to expiry. Default 216,000, a week, or twice `minRounds` if that is more. */
  readonly maxRounds?: bigint;
  /** Most open channels of one payer. Default 3; no limit on development networks. */
  readonly ofPayer?: number;
  /** Most open channels to one receiver. Default: half of what `lent` allows; no limit on development networks. */
  readonly ofReceiver?: number;
  /** µAlgo that may be lent at a time. Default 100 Algo; no limit on development networks. */
  readonly lent?: bigint;
  /**
   * Least claim, in atomic units, for which a channel's account is handed over with its 0.2 ALGO when the payer can't
   * receive the rest. Default: the worth of that ALGO, a hundred times the least amount that is sponsored.
   */
  readonly handOverAmount?: bigint;
  /** The keys, as addresses, with which channels to a receiver may be claimed. Default, and if it has none: any. */
  readonly claimKeysOf?: (receiver: string) => ReadonlySet<string> | undefined;
}

type Defaults = ChannelOptions & Required<Pick<ChannelOptions, 'minRounds' | 'ofPayer'>>;

/** Defaults on public networks. */
export const CHANNEL_DEFAULTS = { minRounds: 30_000n, ofPayer: 3, lent: 100_000_000n } as const satisfies Defaults;
/** Default of `maxRounds`, unless twice the least is more. */
export const MAX_ROUNDS = 216_000n;
const DEVELOPMENT: Defaults = {
  minDeposit: 1n,
  minRounds: 1_000n,
  ofPayer: Number.POSITIVE_INFINITY,
  ofReceiver: Number.POSITIVE_INFINITY,
};
const MAX_AGE = 10n;
/** Sponsored payments, at 2,000 µAlgo each, that this ALGO would pay; the least amount is worth one of them. */
const HAND_OVER_FEES = CHANNEL_MINIMUM_BALANCE / 2_000n;

/**
 * The policy on one network, in the forms for the scheme and for the store; `undefined`: no channels are opened.
 * @throws X402Error `environment_invalid` if no channel could be opened by it
 */
export function channelPolicyOn(
  { development }: Pick<Chain, 'development'>,
  options: ChannelOptions,
  { minAmount, assets }: Pick<Sponsor, 'minAmount' | 'assets'>,
) {
  const defaults: Defaults = development ? DEVELOPMENT : CHANNEL_DEFAULTS;
  const { minDeposit, minRounds, lent, ofPayer, ...chosen } = { ...defaults, ...options };
  if (minDeposit === undefined) return undefined;
  const total = lent === undefined ? Number.POSITIVE_INFINITY : Number(lent / CHANNEL_MINIMUM_BALANCE);
  const { maxRounds = larger(MAX_ROUNDS, 2n * minRounds), ofReceiver = Math.ceil(total / 2) } = chosen;
  const { handOverAmount = minAmount * HAND_OVER_FEES } = chosen;
  if (maxRounds < minRounds) {
    const message = `CHANNEL_MAX_ROUNDS: is below the least rounds (CHANNEL_MIN_ROUNDS), which are ${minRounds} here`;
    throw new X402Error('environment_invalid', { message });
  }
  // Development nodes make blocks when payments come, so their rounds say nothing about time.
  const maxAge = development ? MAX_WINDOW_ROUNDS : MAX_AGE;
  const bounds = { minDeposit, minRounds, maxRounds, maxAge, handOverAmount };
  const policy: ChannelPolicy = development ? bounds : { ...bounds, assets };
  const limits: ChannelLimits = { ofPayer, ofReceiver, total };
  return { policy, limits };
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
