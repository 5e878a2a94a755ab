import { isAllZero } from '../codec/bytes.ts';
import type { Transaction } from '../codec/schema/transaction.ts';

/** The problem with the form of an `afrz`, if any (go-algorand data/transactions/asset.go). */
export function assetFreezeProblem({ freezeAsset, freezeAccount }: Transaction): string | undefined {
  if (freezeAsset === 0n) return 'asset ID cannot be zero';
  return isAllZero(freezeAccount) ? 'freeze account cannot be empty' : undefined;
}
