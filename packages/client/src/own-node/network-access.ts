import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { DEVELOPMENT_ALGOD, LOCALNET } from '@avm402/algorand/networks';
import { X402Error } from '@avm402/core/errors';
import { algorandNetwork, canonicalNetwork, isAlgorandNetwork, type Network } from '@avm402/core/network';

/** Your own algod for a network. */
export type NetworkAccess = AlgodClient | { readonly url: string; readonly token?: string };

/** Finds the algod of a network; undefined if none is configured. */
export type AlgodOf = (network: string) => AlgodClient | undefined;

const ANY_ALGORAND = 'algorand:*';
const DEVELOPMENT = algorandNetwork(LOCALNET.genesisHash);

/**
 * Reads `networks`: CAIP-2 ids in any spelling, or `algorand:*` for every other Algorand network. The genesis hash of
 * the algod is compared with the offer's network before anything is signed. Of the networks without an entry, only the
 * development network has an algod, because its money is worth nothing.
 * @throws X402Error `invalid_network`, `unsupported_network`; AlgorandError `invalid_algod_options`
 */
export function algodOfNetworks(networks: Readonly<Record<string, NetworkAccess>>): AlgodOf {
  const known = new Map<string, AlgodClient>();
  if (!Object.hasOwn(networks, ANY_ALGORAND)) known.set(DEVELOPMENT, createAlgodClient(DEVELOPMENT_ALGOD));
  for (const [key, access] of Object.entries(networks)) known.set(networkKey(key), algodClient(access));
  return (network) => {
    if (!isAlgorandNetwork(network)) return undefined;
    return known.get(canonicalNetwork(network)) ?? known.get(ANY_ALGORAND);
  };
}

/** @throws X402Error `algod_not_configured` */
export function requireAlgod(algodOf: AlgodOf, network: string): AlgodClient {
  const algod = algodOf(network);
  if (algod) return algod;
  throw new X402Error('algod_not_configured', { message: `no algod is configured for ${network}` });
}

function networkKey(key: string): Network {
  if (key === ANY_ALGORAND) return key;
  const network = canonicalNetwork(key);
  if (isAlgorandNetwork(network)) return network;
  throw new X402Error('unsupported_network', { message: `${key} is not an Algorand network` });
}

function algodClient(access: NetworkAccess): AlgodClient {
  return 'params' in access ? access : createAlgodClient(access);
}
