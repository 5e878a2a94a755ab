import { MAINNET, TESTNET, LOCALNET } from '@avm402/algorand/networks';
import { algorandNetwork, canonicalNetwork, type Network } from '@avm402/core/network';

/** What a payment costs, in the unit of the limits. */
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
 * Names one asset on one network, in whatever spelling of the network.
 * @throws X402Error `invalid_network`
 */
export function assetKey(network: string, asset: string): string {
  return `${canonicalNetwork(network)}/${asset}`;
}

/** USDC on the known networks: the default of `spend.assets`. */
export const USDC_ASSETS: readonly { readonly network: Network; readonly asset: string }[] = [
  MAINNET,
  TESTNET,
  LOCALNET,
].map(({ genesisHash, usdcAssetId }) => ({ network: algorandNetwork(genesisHash), asset: usdcAssetId.toString() }));

const USDC_KEYS: ReadonlySet<string> = new Set(USDC_ASSETS.map(({ network, asset }) => assetKey(network, asset)));
const USDC_DECIMALS = 6;

/** Decimals of the network's USDC; undefined for any other asset. A seller's word on decimals is never believed. */
export function usdcDecimals(network: string, asset: string): number | undefined {
  return USDC_KEYS.has(assetKey(network, asset)) ? USDC_DECIMALS : undefined;
}

/** Atomic units of a dollar asset in millionths of a dollar, rounded up. */
export function dollars(atomic: bigint, decimals: number): Cost {
  const shift = 10n ** BigInt(Math.abs(USD_DECIMALS - decimals));
  const amount = decimals <= USD_DECIMALS ? atomic * shift : (atomic + shift - 1n) / shift;
  return { unit: USD, amount };
}
