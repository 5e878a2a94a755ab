import { usdcOn } from '@avm402/avm/exact/client';
import { canonicalNetwork } from '@avm402/core/network';

/** The cost of a payment, in the unit of the limits. */
export interface Cost {
  /** `usd`, or `network/asset` for an asset without a known dollar price. */
  readonly unit: string;
  /** Millionths of a dollar, or the asset's atomic units. */
  readonly amount: bigint;
}

export const USD = 'usd';
/** Decimals of the unit `usd`. */
export const USD_DECIMALS = 6;

/**
 * The key of one asset on one network, the same for each spelling of the network.
 * @throws X402Error `invalid_network`
 */
export function assetKey(network: string, asset: string): string {
  return `${canonicalNetwork(network)}/${asset}`;
}

/** Decimals of the network's USDC; undefined for any other asset. A seller's word on decimals is never believed. */
export function usdcDecimals(network: string, asset: string): number | undefined {
  const usdc = usdcOn(network);
  return usdc?.asset === asset ? usdc.decimals : undefined;
}

/** Atomic units of a dollar asset in millionths of a dollar, rounded up. */
export function dollars(atomic: bigint, decimals: number): Cost {
  const shift = 10n ** BigInt(Math.abs(USD_DECIMALS - decimals));
  const amount = decimals <= USD_DECIMALS ? atomic * shift : (atomic + shift - 1n) / shift;
  return { unit: USD, amount };
}
