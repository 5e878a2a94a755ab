import { usdcOn } from '@avm402/avm/exact/client';
import { canonicalNetwork, isAlgorandNetwork } from '@avm402/core/network';
import { formatMoney, USD_DECIMALS, withSeparators } from '@avm402/core/price';

/** The cost of a payment, in the unit of the limits. */
export interface Cost {
  /** `usd`, or `network/asset` for an asset without a known dollar price. */
  readonly unit: string;
  /** Millionths of a dollar, or the asset's atomic units. */
  readonly amount: bigint;
}

/** An amount of an asset, in atomic units. */
export interface AssetAmount {
  readonly network: string;
  readonly asset: string;
  readonly amount: bigint;
}

export const USD = 'usd';

/**
 * The key of one asset on one network, the same for each spelling of the network.
 * @throws X402Error `invalid_network`
 */
export function assetKey(network: string, asset: string): string {
  return `${canonicalNetwork(network)}/${asset}`;
}

/** Decimals of the network's USDC; undefined for any other asset. A seller's word on decimals is never believed. */
export function usdcDecimals(network: string, asset: string): number | undefined {
  const usdc = isAlgorandNetwork(network) ? usdcOn(network) : undefined;
  return usdc?.asset === asset ? usdc.decimals : undefined;
}

/** An amount of an asset as programs read it: dollars, written as a price is, if it is USDC, else atomic units. */
export function amountAsText({ network, asset, amount }: AssetAmount): string {
  const decimals = usdcDecimals(network, asset);
  return decimals === undefined ? `${amount} atomic units of asset ${asset}` : formatMoney(amount, decimals);
}

/** The same for people, who read thousands that are set apart. */
export function amountInWords(amount: AssetAmount): string {
  return withSeparators(amountAsText(amount));
}

/** A cost as programs read it: dollars, written as a price is, or atomic units of an asset. */
export function costAsText({ unit, amount }: Cost): string {
  return unit === USD ? formatMoney(amount, USD_DECIMALS) : `${amount} atomic units of ${unit}`;
}

/** The same for people. */
export function costInWords(cost: Cost): string {
  return withSeparators(costAsText(cost));
}

/** Atomic units of a dollar asset in millionths of a dollar, rounded up. */
export function dollars(atomic: bigint, decimals: number): Cost {
  const shift = 10n ** BigInt(Math.abs(USD_DECIMALS - decimals));
  const amount = decimals <= USD_DECIMALS ? atomic * shift : (atomic + shift - 1n) / shift;
  return { unit: USD, amount };
}
