import type { AlgodClient } from '@avm402/algorand/algod';

/** What the network asks for at the moment. */
export interface NetworkFees {
  /** µAlgo per byte; 0 while the network is not congested. */
  readonly fee: bigint;
  /** µAlgo per transaction, at least. */
  readonly minFee: bigint;
}

/** An encoded signed transfer; what a buyer's per-byte fee is reckoned with. */
export const TRANSFER_BYTES = 350;

/** Bytes that a signature adds to an unsigned member `{txn}`: its key and 64 bytes. */
export const SIGNATURE_BYTES = 70;

/** µAlgo that the network asks for now for a transaction of so many bytes. */
export function memberFee({ fee, minFee }: NetworkFees, bytes: number): bigint {
  const byBytes = fee * BigInt(bytes);
  return byBytes > minFee ? byBytes : minFee;
}

/** µAlgo that the network asks for now for transactions of these many bytes. */
export function networkFee(sizes: readonly number[], fees: NetworkFees): bigint {
  return sizes.reduce((total, bytes) => total + memberFee(fees, bytes), 0n);
}

/** How long a network's fees are taken as current. */
const TTL_MS = 5_000;

interface Quote {
  readonly fees: Promise<NetworkFees>;
  readonly expiresAt: number;
}

/** A network whose node says what it charges. */
interface PricedNetwork {
  readonly algod: Pick<AlgodClient, 'params'>;
}

/** What each network charges now, asked at most once every few seconds. */
export class CurrentFees {
  readonly #now: () => number;
  readonly #quotes = new WeakMap<PricedNetwork, Quote>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws what algod's client throws */
  async of(network: PricedNetwork): Promise<NetworkFees> {
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
