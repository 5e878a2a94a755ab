import { LOCALNET, MAINNET, TESTNET } from '@avm402/algorand/networks';
import { algorandNetwork, canonicalNetwork, isNetwork, type Network } from '@avm402/core/network';
import type { FindDefaultAsset } from '@x402/core/types';

/** USDC on one network. */
export interface UsdcAsset {
  readonly network: Network;
  /** ASA id in decimal digits. */
  readonly asset: string;
  readonly decimals: number;
  readonly symbol: 'USDC';
}

/** USDC on the known networks. */
export const USDC_ASSETS: readonly UsdcAsset[] = [MAINNET, TESTNET, LOCALNET].map(({ genesisHash, usdcAssetId }) => ({
  network: algorandNetwork(genesisHash),
  asset: usdcAssetId.toString(),
  decimals: 6,
  symbol: 'USDC',
}));

/**
 * USDC on a network, given in any spelling.
 * @throws X402Error `invalid_network`
 */
export function usdcOn(network: string): UsdcAsset | undefined {
  const canonical = canonicalNetwork(network);
  return USDC_ASSETS.find((usdc) => usdc.network === canonical);
}

/** Finds USDC on the known networks, from which stock spend controls learn the asset and its decimals. */
export const findDefaultUsdc: FindDefaultAsset = (asset, network) => {
  const usdc = isNetwork(network) ? usdcOn(network) : undefined;
  return usdc?.asset === asset ? usdc : undefined;
};
