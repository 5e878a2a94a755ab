import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';
import { CHANNEL_MINIMUM_BALANCE } from '@avm402/avm/batch-settlement';
import type { ChannelPolicy } from '@avm402/avm/batch-settlement/facilitator';
import type { Sponsor } from '@avm402/avm/exact/facilitator';
import type { Chain } from '../chain/chain.ts';
import type { ChannelLimits } from '../settlement/settlement-store.ts';

/** For which channels the sponsor lends the ALGO, among the sellers and assets whose payments it sponsors. */
export interface ChannelOptions {
  /** Least deposit that opens a channel, atomic units. Default: on development networks 1; elsewhere no channels are opened. */
  readonly minDeposit?: bigint;
  /** Least rounds from opening to expiry. Default 30,000, a day; on development networks 1,000. */
  readonly minRounds?: bigint;
  /** Most rounds from opening to expiry. Default 216,000, a week, or twice the least where that is more. */
  readonly maxRounds?: bigint;
  /** Most open channels of one payer. Default 3; on development networks any number. */
  readonly ofPayer?: number;
  /** Most open channels to one receiver. Default half of all that are lent for; on development networks any number. */
  readonly ofReceiver?: number;
  /** µAlgo that may be lent at a time. Default 100 Algo; on development networks any amount. */
  readonly lent?: bigint;
  /**
   * Least claim, in atomic units, that hands a channel's account with its 0.2 ALGO over where the payer can't receive the
   * rest. Default: what they are worth, a hundred times the least amount that is sponsored.
   */
  readonly handOverAmount?: bigint;
  /** The keys, as addresses, that channels to a receiver may be claimed with. Default, and where there are none: any. */
  readonly claimKeysOf?: (receiver: string) => ReadonlySet<string> | undefined;
}

type Defaults = ChannelOptions & Required<Pick<ChannelOptions, 'minRounds' | 'ofPayer'>>;

/** On public networks. */
export const CHANNEL_DEFAULTS = { minRounds: 30_000n, ofPayer: 3, lent: 100_000_000n } as const satisfies Defaults;
/** Or twice the least, where that is more. */
export const MAX_ROUNDS = 216_000n;
const DEVELOPMENT: Defaults = {
  minDeposit: 1n,
  minRounds: 1_000n,
  ofPayer: Number.POSITIVE_INFINITY,
  ofReceiver: Number.POSITIVE_INFINITY,
};
const MAX_AGE = 10n;
/** The least amount is worth the 2,000 µAlgo of a sponsored payment. */
const HAND_OVER_FEES = CHANNEL_MINIMUM_BALANCE / 2_000n;

/** The policy on one network, as the scheme and as the store need it; `undefined`: no channels are opened. */
export function channelPolicyOn(
  { development }: Pick<Chain, 'development'>,
  options: ChannelOptions,
  { minAmount }: Pick<Sponsor, 'minAmount'>,
) {
  const defaults: Defaults = development ? DEVELOPMENT : CHANNEL_DEFAULTS;
  const { minDeposit, minRounds, lent, ofPayer, ...chosen } = { ...defaults, ...options };
  if (minDeposit === undefined) return undefined;
  const total = lent === undefined ? Number.POSITIVE_INFINITY : Number(lent / CHANNEL_MINIMUM_BALANCE);
  const { maxRounds = larger(MAX_ROUNDS, 2n * minRounds), ofReceiver = Math.ceil(total / 2) } = chosen;
  const { handOverAmount = minAmount * HAND_OVER_FEES } = chosen;
  // Where blocks come with the payments, rounds say nothing about time.
  const maxAge = development ? MAX_WINDOW_ROUNDS : MAX_AGE;
  const policy: ChannelPolicy = { minDeposit, minRounds, maxRounds, maxAge, handOverAmount };
  const limits: ChannelLimits = { ofPayer, ofReceiver, total };
  return { policy, limits };
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
