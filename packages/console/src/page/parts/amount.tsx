import { MAINNET, TESTNET } from '@avm402/algorand/networks';
import { formatAmount, formatMoney, withSeparators } from '@avm402/core/price';
import { useConstant } from '../ask.ts';
import type { AssetAnswer, Units } from '../../node-answers.ts';
import { linkTo } from '../route.ts';

const ALGO_DECIMALS = 6;

/** Atomic units as people write them, exactly; thousands are set apart. */
export function decimalText(units: bigint, decimals: number): string {
  return withSeparators(formatAmount(units, decimals));
}

export function Algos({ microAlgos }: { readonly microAlgos: Units }) {
  return <span class="amount">{decimalText(BigInt(microAlgos), ALGO_DECIMALS)} ALGO</span>;
}

/** An amount of µAlgo, the unit in which fees are read. */
export function Fee({ microAlgos }: { readonly microAlgos: Units }) {
  return <span class="amount">{decimalText(BigInt(microAlgos), 0)} µAlgo</span>;
}

/** A duration; below ten milliseconds, to the hundredth. */
export function Milliseconds({ ms }: { readonly ms: number }) {
  return <span class="amount">{ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms</span>;
}

interface AssetAmountProps {
  readonly units: Units;
  readonly assetId: Units;
}

/** Whether an asset's units are dollars: USDC's, by number and by name. */
function isMoney(assetId: Units, unit: string): boolean {
  return unit === 'USDC' && [MAINNET, TESTNET].some(({ usdcAssetId }) => String(usdcAssetId) === String(assetId));
}

/** An amount of an asset, with the asset's unit name. If a role's amount is not a number, it is shown unchanged. */
export function AssetAmount({ units, assetId }: AssetAmountProps) {
  const asset = useConstant<AssetAnswer>(`/api/node/assets/${encodeURIComponent(String(assetId))}`);
  const { decimals = 0, 'unit-name': unit = '' } = asset?.params ?? {};
  const format = isMoney(assetId, unit) ? formatMoney : formatAmount;
  const amount = /^\d{1,20}$/.test(String(units)) ? withSeparators(format(BigInt(units), decimals)) : String(units);
  return (
    <span class="amount">
      {amount} <a href={linkTo('assets', String(assetId))}>{unit || `asset ${assetId}`}</a>
    </span>
  );
}
