import { isAllZero } from '../codec/bytes.ts';
import type { Transaction } from '../codec/schema/transaction.ts';

/** The problem with the form of an `axfer`, if any (go-algorand data/transactions/asset.go). */
export function assetTransferProblem(transfer: Transaction): string | undefined {
  if (transfer.transferAsset === 0n && transfer.assetAmount !== 0n) return 'asset ID cannot be zero';
  if (!isAllZero(transfer.assetSender) && !isAllZero(transfer.assetCloseTo)) return 'cannot close asset by clawback';
  return undefined;
}
