import { BoundedMap } from '@avm402/core/bounded-map';
import type { RefusedGroup, Verdict } from '../../node/ask-node.ts';

export interface VerdictCacheOptions {
  /** Milliseconds for which a verdict is reused. */
  readonly ttlMs: number;
  /** The most verdicts that are kept; the oldest is dropped first. */
  readonly capacity: number;
  /** Milliseconds. If the clock was set back, what was kept before counts no more. */
  readonly now: () => number;
}

/** Recent verdicts by key, and the simulations under way, so that identical requests share one. */
export class VerdictCache {
  readonly #options: VerdictCacheOptions;
  readonly #verdicts: BoundedMap<string, Verdict & { readonly keptAt: number; readonly payer: string }>;
  /** Simulations under way. One that is forgotten meanwhile is neither shared with later callers nor kept. */
  readonly #underWay = new Map<string, { readonly verdict: Promise<Verdict | RefusedGroup>; readonly payer: string }>();

  constructor(options: VerdictCacheOptions) {
    this.#options = options;
    this.#verdicts = new BoundedMap(options.capacity);
  }

  /** The verdict of a recent simulation, if there is one. */
  recent(key: string): Verdict | undefined {
    const verdict = this.#verdicts.get(key);
    const age = this.#options.now() - (verdict?.keptAt ?? 0);
    if (0 <= age && age < this.#options.ttlMs) return verdict;
    // The time of one that was kept before the clock was set back would come again.
    this.#verdicts.delete(key);
    return undefined;
  }

  /** The verdict of `simulate`, or of the same call if it is already under way. A refusal is not kept. */
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

  /** Forgets every verdict, including those under way, because the state of the chain has changed. */
  clear(): void {
    this.#verdicts.clear();
    this.#underWay.clear();
  }

  /** Forgets the verdicts on one payer's payments, including those under way. */
  forget(payer: string): void {
    for (const known of [this.#verdicts, this.#underWay]) {
      for (const [key, verdict] of known) if (verdict.payer === payer) known.delete(key);
    }
  }

  #keep(key: string, payer: string, verdict: Verdict): void {
    this.#verdicts.set(key, { ...verdict, payer, keptAt: this.#options.now() });
  }
}
