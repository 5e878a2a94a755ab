import type { RefusedGroup, Verdict } from '../../node/ask-node.ts';

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
  readonly #verdicts = new Map<string, Verdict & { readonly expiresAt: number; readonly payer: string }>();
  /** A simulation that is forgotten while it is under way is none that a later caller may share, or that is kept. */
  readonly #underWay = new Map<string, { readonly verdict: Promise<Verdict | RefusedGroup>; readonly payer: string }>();

  constructor(options: VerdictCacheOptions) {
    this.#options = options;
  }

  /** The verdict of a recent simulation, if there is one. */
  recent(key: string): Verdict | undefined {
    const verdict = this.#verdicts.get(key);
    return verdict !== undefined && verdict.expiresAt > this.#options.now() ? verdict : undefined;
  }

  /** The verdict of `simulate`, or of the same call already under way. A refusal is not kept. */
  async share(
    key: string,
    payer: string,
    simulate: () => Promise<Verdict | RefusedGroup>,
  ): Promise<Verdict | RefusedGroup> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known.verdict;
    const running = { verdict: simulate(), payer };
    this.#underWay.set(key, running);
    try {
      const verdict = await running.verdict;
      if (!('refusal' in verdict) && this.#underWay.get(key) === running) this.#keep(key, payer, verdict);
      return verdict;
    } finally {
      if (this.#underWay.get(key) === running) this.#underWay.delete(key);
    }
  }

  /** Forgets every verdict, also those under way: what was true of the chain is true no longer. */
  clear(): void {
    this.#verdicts.clear();
    this.#underWay.clear();
  }

  /** Forgets the verdicts on one payer's payments, also those under way. */
  forget(payer: string): void {
    for (const known of [this.#verdicts, this.#underWay]) {
      for (const [key, verdict] of known) if (verdict.payer === payer) known.delete(key);
    }
  }

  #keep(key: string, payer: string, verdict: Verdict): void {
    const { capacity, ttlMs, now } = this.#options;
    this.#verdicts.delete(key);
    this.#verdicts.set(key, { ...verdict, payer, expiresAt: now() + ttlMs });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > capacity && oldest !== undefined) this.#verdicts.delete(oldest);
  }
}
