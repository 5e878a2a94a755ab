import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { LOCALNET } from '@avm402/algorand/networks';
import { algorandNetwork, networkMatches, type Network } from '@avm402/core/network';

/** How to reach the buyer's own algod. */
export interface AlgodAccess {
  readonly url: string;
  readonly token?: string;
}

/**
 * CAIP-2 id, or `algorand:*` for every Algorand network → the algod to use. A network without an entry is not paid on;
 * only the embedded development node on this machine is known by itself.
 */
export type Networks = Readonly<Record<string, AlgodAccess | AlgodClient>>;

const DEVELOPMENT = algorandNetwork(LOCALNET.genesisHash);
/** AlgoKit LocalNet's address and token, which the embedded node shares. */
const DEVELOPMENT_ALGOD: AlgodAccess = { url: 'http://127.0.0.1:4001', token: 'a'.repeat(64) };

/** Finds the algod of a network; undefined for one that is not configured. */
export function algodOf(
  networks: Networks,
  fetch: typeof globalThis.fetch,
): (network: Network) => AlgodClient | undefined {
  const clients = new Map<AlgodAccess | AlgodClient, AlgodClient>();
  return (network) => {
    const configured = Object.entries(networks).find(([pattern]) => networkMatches(pattern, network))?.[1];
    const access = configured ?? (network === DEVELOPMENT ? DEVELOPMENT_ALGOD : undefined);
    if (access === undefined) return undefined;
    const known = clients.get(access);
    if (known) return known;
    const client = 'params' in access ? access : createAlgodClient({ ...access, fetch });
    clients.set(access, client);
    return client;
  };
}
