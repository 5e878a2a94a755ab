import type { AlgodClient } from '@avm402/algorand/algod';

/** The fees that the network asks for at present. */
export interface NetworkFees {
  /** µAlgo per byte; 0 while the network is not congested. */
  readonly fee: bigint;
  /** Minimum µAlgo per transaction. */
  readonly minFee: bigint;
}

/** Size of an encoded signed transfer, from which a buyer's per-byte fee is calculated. */
export const TRANSFER_BYTES = 350;

/** Bytes that a signature adds to an unsigned member `{txn}`: its key and 64 bytes. */
export const SIGNATURE_BYTES = 70;

/** µAlgo that the network asks for now for a transaction of `bytes` bytes. */
export function memberFee({ fee, minFee }: NetworkFees, bytes: number): bigint {
  const byBytes = fee * BigInt(bytes);
  return byBytes > minFee ? byBytes : minFee;
}

/** µAlgo that the network asks for now for transactions of these sizes, in bytes. */
export function networkFee(sizes: readonly number[], fees: NetworkFees): bigint {
  return sizes.reduce((total, bytes) => total + memberFee(fees, bytes), 0n);
}

/** Milliseconds for which a network's fees count as current. */
const TTL_MS = 5_000;

interface Quote {
  readonly fees: Promise<NetworkFees>;
  readonly askedAt: number;
}

/** A network with a node that can be asked for its fees. */
interface PricedNetwork {
  readonly algod: Pick<AlgodClient, 'params'>;
}

/** The current fees of each network, asked for at most once every few seconds, or sooner if the clock was set back. */
export class CurrentFees {
  readonly #now: () => number;
  readonly #quotes = new WeakMap<PricedNetwork, Quote>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws what algod's client throws */
  async of(network: PricedNetwork): Promise<NetworkFees> {
    const known = this.#quotes.get(network);
    const now = this.#now();
    const isCurrent = known !== undefined && known.askedAt <= now && now < known.askedAt + TTL_MS;
    if (isCurrent) return known.fees;
    const quote = { fees: network.algod.params(), askedAt: now };
    this.#quotes.set(network, quote);
    try {
      return await quote.fees;
    } catch (error) {
      this.#quotes.delete(network);
      throw error;
    }
  }
}
