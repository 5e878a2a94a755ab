import { useConstant } from '../ask.ts';
import type { Units } from '../chain/algod-json.ts';
import { linkTo } from '../route.ts';

const ALGO_DECIMALS = 6;

/** Atomic units as a decimal number, exactly. */
export function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export function Algos({ microAlgos }: { readonly microAlgos: Units }) {
  return <span class="amount">{decimalText(BigInt(microAlgos), ALGO_DECIMALS)} ALGO</span>;
}

/** An amount of µAlgo, the unit in which fees are read. */
export function Fee({ microAlgos }: { readonly microAlgos: Units }) {
  return <span class="amount">{decimalText(BigInt(microAlgos), 0)} µAlgo</span>;
}

interface AssetAnswer {
  readonly params: { readonly decimals: number; readonly 'unit-name'?: string };
}

interface AssetAmountProps {
  readonly units: Units;
  readonly assetId: Units;
}

/** An amount of an asset, with the asset's unit name. If a role's amount is not a number, it is shown unchanged. */
export function AssetAmount({ units, assetId }: AssetAmountProps) {
  const asset = useConstant<AssetAnswer>(`/api/node/assets/${encodeURIComponent(String(assetId))}`);
  const { decimals = 0, 'unit-name': unit = '' } = asset?.params ?? {};
  const amount = /^\d{1,20}$/.test(String(units)) ? decimalText(BigInt(units), decimals) : String(units);
  return (
    <span class="amount">
      {amount} <a href={linkTo('assets', String(assetId))}>{unit || `asset ${assetId}`}</a>
    </span>
  );
}
