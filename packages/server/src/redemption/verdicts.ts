import { X402Error } from '@avm402/core/errors';
import type { VerifyResponse } from '@avm402/core/verify-response';

interface Verification {
  readonly verdict: Promise<VerifyResponse>;
  readonly drop: AbortController;
}

/**
 * Verifications under way. Identical bytes for identical requirements share one; different bytes of the same
 * transaction are verified side by side, so that a copy with a forged signature holds nobody up.
 */
export class Verdicts {
  readonly #maximum: number;
  /** Oldest first. */
  readonly #underWay = new Map<string, Verification>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /**
   * The verdict on what `key` stands for; `verify` is called unless that is under way. When there are too many the
   * oldest one is dropped, never the newest: a flood of forgeries must not keep the genuine payment out.
   * @throws X402Error `verification_overloaded`, and whatever `verify` throws
   */
  judge(key: string, verify: (signal: AbortSignal) => Promise<VerifyResponse>): Promise<VerifyResponse> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known.verdict;
    this.#makeRoom();
    const drop = new AbortController();
    const dropped = new Promise<never>((_resolve, reject) => {
      drop.signal.addEventListener('abort', () => reject(new X402Error('verification_overloaded')), { once: true });
    });
    const verdict = Promise.race([verify(drop.signal), dropped]).finally(() => {
      if (this.#underWay.get(key)?.drop === drop) this.#underWay.delete(key);
    });
    this.#underWay.set(key, { verdict, drop });
    return verdict;
  }

  #makeRoom(): void {
    if (this.#underWay.size < this.#maximum) return;
    const [oldest] = this.#underWay;
    if (oldest === undefined) return;
    this.#underWay.delete(oldest[0]);
    oldest[1].drop.abort();
  }
}
