import type { AlgodClient } from '@avm402/algorand/algod';
import { BoundedMap } from '@avm402/core/bounded-map';
import { X402Error } from '@avm402/core/errors';
import { canonicalNetwork, isAlgorandNetwork, type Network } from '@avm402/core/network';
import { type NetworkMoment, NetworkParams } from './network-params.ts';

/** The parts of the world that the client of a scheme needs. */
export interface ClientWorld {
  /** The algod of a network, given by its canonical id. Undefined for a network that the client does not pay on. */
  readonly algod: (network: Network) => AlgodClient | undefined;
  /** Cryptographically random bytes; default: the platform's. */
  readonly random?: (bytes: number) => Uint8Array;
  /** Milliseconds since some fixed moment; default: `Date.now`. */
  readonly now?: () => number;
}

/** Sellers choose the ids, and one algod may stand for all of them. */
const MOST_NETWORKS = 64;

/** The current parameters of every network that the client pays on, for any spelling of its id. */
export class NetworkMoments {
  readonly #algod: ClientWorld['algod'];
  readonly #now: () => number;
  readonly #params = new BoundedMap<Network, NetworkParams>(MOST_NETWORKS);

  constructor({ algod, now = Date.now }: ClientWorld) {
    this.#algod = algod;
    this.#now = now;
  }

  /** @throws X402Error `unsupported_network`, `network_mismatch`, and algod's own */
  async current(network: Network): Promise<NetworkMoment> {
    return this.#paramsOf(network).current(network);
  }

  /**
   * Fetches the parameters of a network again: before the first payment, or after a payment expired.
   * @throws X402Error `unsupported_network`, and algod's own
   */
  async refresh(network: Network): Promise<void> {
    await this.#paramsOf(network).refresh();
  }

  #paramsOf(network: Network): NetworkParams {
    const canonical = isAlgorandNetwork(network) ? canonicalNetwork(network) : undefined;
    const known = canonical && this.#params.get(canonical);
    if (known) return known;
    const algod = canonical && this.#algod(canonical);
    if (!canonical || !algod) {
      throw new X402Error('unsupported_network', { message: `no algod is configured for ${network}` });
    }
    const params = new NetworkParams({ algod, now: this.#now });
    this.#params.set(canonical, params);
    return params;
  }
}
