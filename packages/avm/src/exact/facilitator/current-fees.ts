import type { NetworkFees } from '../checks/sponsorship.ts';
import type { FacilitatorNetwork } from './facilitator-network.ts';

/** How long a network's fees are taken as current. */
const TTL_MS = 5_000;

interface Quote {
  readonly fees: Promise<NetworkFees>;
  readonly expiresAt: number;
}

/** What each network charges now, asked at most once every few seconds. */
export class CurrentFees {
  readonly #now: () => number;
  readonly #quotes = new WeakMap<FacilitatorNetwork, Quote>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws what algod's client throws */
  async of(network: FacilitatorNetwork): Promise<NetworkFees> {
    const known = this.#quotes.get(network);
    if (known !== undefined && known.expiresAt > this.#now()) return known.fees;
    const quote = { fees: network.algod.params(), expiresAt: this.#now() + TTL_MS };
    this.#quotes.set(network, quote);
    try {
      return await quote.fees;
    } catch (error) {
      if (this.#quotes.get(network) === quote) this.#quotes.delete(network);
      throw error;
    }
  }
}
