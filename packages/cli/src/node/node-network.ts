import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { networkByGenesisHash } from '@avm402/algorand/networks';
import { algorandNetwork, type Network } from '@avm402/core/network';

/** The network that a node belongs to. */
export interface NodeNetwork {
  readonly network: Network;
  /** Its USDC, if the network is known. */
  readonly usdc: bigint | undefined;
}

export async function networkOf(algod: AlgodClient): Promise<NodeNetwork> {
  const genesisHash = encodeBase64((await algod.params()).genesisHash);
  return { network: algorandNetwork(genesisHash), usdc: networkByGenesisHash(genesisHash)?.usdcAssetId };
}
