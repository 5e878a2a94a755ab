import { isAllZero } from '../codec/bytes.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import type { FormContext } from './context.ts';

/** The problem with the form of an `acfg`, if any (go-algorand data/transactions/asset.go). */
export function assetConfigurationProblem(
  { assetParams }: Transaction,
  { parameters }: FormContext,
): string | undefined {
  const { name, unitName, url, decimals } = assetParams;
  const { maxAssetNameBytes, maxAssetUnitNameBytes, maxAssetUrlBytes, maxAssetDecimals } = parameters;
  if (name.length > maxAssetNameBytes) return tooBig('name', name, maxAssetNameBytes);
  if (unitName.length > maxAssetUnitNameBytes) return tooBig('unit name', unitName, maxAssetUnitNameBytes);
  if (url.length > maxAssetUrlBytes) return tooBig('url', url, maxAssetUrlBytes);
  if (decimals > maxAssetDecimals) return `transaction asset decimals is too high (max is ${maxAssetDecimals})`;
  return undefined;
}

function tooBig(what: string, text: Uint8Array, limit: number): string {
  return `transaction asset ${what} too big: ${text.length} > ${limit}`;
}

/** The problem with the form of an `axfer`, if any. */
export function assetTransferProblem(transfer: Transaction): string | undefined {
  if (transfer.transferAsset === 0n && transfer.assetAmount !== 0n) return 'asset ID cannot be zero';
  if (!isAllZero(transfer.assetSender) && !isAllZero(transfer.assetCloseTo)) return 'cannot close asset by clawback';
  return undefined;
}

/** The problem with the form of an `afrz`, if any. */
export function assetFreezeProblem({ freezeAsset, freezeAccount }: Transaction): string | undefined {
  if (freezeAsset === 0n) return 'asset ID cannot be zero';
  return isAllZero(freezeAccount) ? 'freeze account cannot be empty' : undefined;
}
