import type { ConsensusParameters } from '../consensus/parameters.ts';
import { NO_APPLICATIONS, type Account } from './account.ts';

/** µAlgo that an account must keep: for itself, for each asset that it holds, and for its part in applications. */
export function minBalanceOf({ totalAssets, applications }: Account, parameters: ConsensusParameters): bigint {
  const { minBalance, deposits } = parameters;
  const assets = minBalance * BigInt(1 + totalAssets);
  if (applications === NO_APPLICATIONS) return assets;
  const { uints, byteSlices, extraPages, created, optedIn, boxes, boxBytes } = applications;
  const total =
    deposits.application * BigInt(created + optedIn + extraPages) +
    deposits.uint * BigInt(uints) +
    deposits.byteSlice * BigInt(byteSlices) +
    deposits.box * BigInt(boxes) +
    deposits.boxByte * BigInt(boxBytes);
  return assets + total;
}
