import { LOCALNET, MAINNET, TESTNET } from '@avm402/algorand/networks';
import { algorandNetwork, networksEqual } from '@avm402/core/network';

/** The common name of a network: `MainNet`, `TestNet`, or `LocalNet` for the embedded node. Undefined for any other. */
export function networkName(network: string): string | undefined {
  return [MAINNET, TESTNET, LOCALNET].find(({ genesisHash }) => networksEqual(algorandNetwork(genesisHash), network))
    ?.name;
}
