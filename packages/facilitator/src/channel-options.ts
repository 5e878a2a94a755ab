import { CHANNEL_MINIMUM_BALANCE } from '@avm402/avm/batch-settlement';
import type { ChannelPolicy } from '@avm402/avm/batch-settlement/facilitator';
import type { Chain } from './chain.ts';
import type { ChannelLimits } from './settlement-store.ts';

/** For which channels the sponsor lends the ALGO, among the sellers and assets whose payments it sponsors. */
export interface ChannelOptions {
  /** Least deposit that opens a channel, atomic units. Default: on development networks 1; elsewhere no channels are opened. */
  readonly minDeposit?: bigint;
  /** Least rounds from opening to expiry. Default 30,000, a day; on development networks 1,000. */
  readonly minRounds?: bigint;
  /** Most rounds from opening to expiry. Default 1,000,000, a month. */
  readonly maxRounds?: bigint;
  /** Most open channels of one payer. Default 3; on development networks any number. */
  readonly ofPayer?: number;
  /** µAlgo that may be lent at a time. Default 100 Algo; on development networks any amount. */
  readonly lent?: bigint;
}

const MIN_ROUNDS = 30_000n;
const DEVELOPMENT_MIN_ROUNDS = 1_000n;
const MAX_ROUNDS = 1_000_000n;
const OF_PAYER = 3;
const LENT = 100_000_000n;

/** The policy on one network, as the scheme and as the store need it; `undefined`: no channels are opened. */
export function channelPolicyOn({ development }: Chain, options: ChannelOptions) {
  const minDeposit = options.minDeposit ?? (development ? 1n : undefined);
  if (minDeposit === undefined) return undefined;
  const minRounds = options.minRounds ?? (development ? DEVELOPMENT_MIN_ROUNDS : MIN_ROUNDS);
  const policy: ChannelPolicy = { minDeposit, minRounds, maxRounds: options.maxRounds ?? MAX_ROUNDS };
  const lent = options.lent ?? (development ? undefined : LENT);
  const limits: ChannelLimits = {
    ofPayer: options.ofPayer ?? (development ? Number.POSITIVE_INFINITY : OF_PAYER),
    total: lent === undefined ? Number.POSITIVE_INFINITY : Number(lent / CHANNEL_MINIMUM_BALANCE),
  };
  return { policy, limits };
}
