import type { Channel } from '../record/channel.ts';

/** Rounds of a public network are not faster than this. */
const SHORTEST_ROUND_MS = 2_500n;
/**
 * Rounds before the expiry in which nothing is served any more, which leaves time for two closes of the longest
 * validity.
 */
const MARGIN_ROUNDS = 1_000n;

export interface RoundClocks {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonicNow: () => number;
}

interface SeenRound {
  readonly round: bigint;
  /** By the clock that nobody sets. */
  readonly at: number;
}

/**
 * How near a channel's expiry may be, as far as a server without a node can tell: from the rounds that the facilitator
 * has reported, and the time since. The wall clock counts only for the time in which no server ran; if it goes back,
 * the rounds of this process still count. The estimate makes a seller careful; only the facilitator can say that a
 * channel has expired.
 */
export class RoundEstimate {
  readonly #clocks: RoundClocks;
  readonly #margin: bigint | undefined;
  /** By genesis hash. */
  readonly #seen = new Map<string, SeenRound>();

  /**
   * From `margin` rounds before its expiry, a channel counts as expiring. Default: 1,000, or half its least lifetime if
   * that is less.
   */
  constructor(clocks: RoundClocks, margin: bigint | undefined) {
    this.#clocks = clocks;
    this.#margin = margin;
  }

  /** Notes that the chain of this genesis hash has just reached a round. */
  observe(genesisHash: Uint8Array, round: bigint): void {
    const network = networkOf(genesisHash);
    const known = this.#seen.get(network);
    if (known !== undefined && this.#since(known) >= round) return;
    this.#seen.set(network, { round, at: this.#clocks.monotonicNow() });
  }

  /** Whether somebody has told this process how far a channel's network is. */
  isKnown({ config }: Channel): boolean {
    return this.#seen.has(networkOf(config.genesisHash));
  }

  /** Whether a channel may be so near its expiry that it must be closed. */
  isExpiring(channel: Channel): boolean {
    return this.#latest(channel) + this.#marginOf(channel) >= channel.config.expiry;
  }

  #latest({ openedRound, openedAt, config }: Channel): bigint {
    const opened = openedRound + roundsIn(this.#clocks.now() - openedAt);
    const seen = this.#seen.get(networkOf(config.genesisHash));
    const other = seen === undefined ? 0n : this.#since(seen);
    return other > opened ? other : opened;
  }

  #since({ round, at }: SeenRound): bigint {
    return round + roundsIn(this.#clocks.monotonicNow() - at);
  }

  #marginOf({ requirements }: Channel): bigint {
    const { minRounds } = requirements.extra;
    const half = typeof minRounds === 'string' ? BigInt(minRounds) / 2n : MARGIN_ROUNDS;
    return this.#margin ?? (half < MARGIN_ROUNDS ? half : MARGIN_ROUNDS);
  }
}

/** The most rounds that this many milliseconds can hold. */
function roundsIn(ms: number): bigint {
  return BigInt(Math.max(0, Math.trunc(ms))) / SHORTEST_ROUND_MS;
}

function networkOf(genesisHash: Uint8Array): string {
  return Buffer.from(genesisHash).toString('base64');
}
