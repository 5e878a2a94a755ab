import type { ConsensusParameters } from '../consensus/parameters.ts';
import type { Account } from './account.ts';

/** µAlgo that an account must keep: once for itself and once for each asset it holds. */
export function minBalanceOf({ totalAssets }: Account, { minBalance }: ConsensusParameters): bigint {
  return minBalance * BigInt(1 + totalAssets);
}
