import type { ConsensusParameters } from '../consensus/parameters.ts';
import type { Account } from './account.ts';

/** µAlgo that an account must keep: one minimum for itself, and one for each asset that it holds. */
export function minBalanceOf({ totalAssets }: Account, { minBalance }: ConsensusParameters): bigint {
  return minBalance * BigInt(1 + totalAssets);
}
