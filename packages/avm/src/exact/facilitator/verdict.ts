/** What a simulation showed: the payment would succeed in the block after `lastRound`. */
export interface Verdict {
  readonly lastRound: bigint;
}

export interface VerdictCacheOptions {
  /** How long a verdict is worth reusing. */
  readonly ttlMs: number;
  /** Most verdicts that are kept; the oldest goes first. */
  readonly capacity: number;
  /** Milliseconds, of a clock that does not go back. */
  readonly now: () => number;
}

/** Verdicts by key, for a short time, and the simulations under way, so that identical requests share one. */
export class VerdictCache {
  readonly #options: VerdictCacheOptions;
  readonly #verdicts = new Map<string, Verdict & { readonly expiresAt: number }>();
  readonly #underWay = new Map<string, Promise<Verdict>>();

  constructor(options: VerdictCacheOptions) {
    this.#options = options;
  }

  /** The verdict of a recent simulation, if there is one. */
  recent(key: string): Verdict | undefined {
    const verdict = this.#verdicts.get(key);
    return verdict !== undefined && verdict.expiresAt > this.#options.now() ? verdict : undefined;
  }

  /** The verdict of `simulate`, or of the same call already under way. A failed one is not kept. */
  async share(key: string, simulate: () => Promise<Verdict>): Promise<Verdict> {
    const running = this.#underWay.get(key);
    if (running !== undefined) return running;
    const promise = simulate();
    this.#underWay.set(key, promise);
    try {
      const verdict = await promise;
      this.#keep(key, verdict);
      return verdict;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** Forgets every verdict: what was true of the chain is true no longer. */
  clear(): void {
    this.#verdicts.clear();
  }

  #keep(key: string, verdict: Verdict): void {
    const { capacity, ttlMs, now } = this.#options;
    this.#verdicts.delete(key);
    this.#verdicts.set(key, { ...verdict, expiresAt: now() + ttlMs });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > capacity && oldest !== undefined) this.#verdicts.delete(oldest);
  }
}
