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
