import type { VerifyResponse } from '@avm402/core/verify-response';
import type { FairQueue } from './fair-queue.ts';

/** A request that asks for a verdict. */
export interface Asker {
  /** Where the request comes from. Peers take turns. */
  readonly peer: string;
  /** Whether the client still waits for the response. */
  isThere(): boolean;
}

interface Verification {
  readonly verdict: Promise<VerifyResponse>;
  readonly askers: Asker[];
}

/**
 * Verifications under way. Identical bytes with identical requirements share one. Different bytes of the same transaction
 * are verified separately, so that a copy with a forged signature holds nobody up.
 */
export class Verdicts {
  readonly #queue: FairQueue;
  readonly #underWay = new Map<string, Verification>();

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  /**
   * The verdict for `key`. Calls `verify` in turn, unless a verification for that key is under way.
   * @throws X402Error `verification_overloaded`, and whatever `verify` throws
   */
  judge(key: string, asker: Asker, verify: () => Promise<VerifyResponse>): Promise<VerifyResponse> {
    const known = this.#underWay.get(key);
    if (known !== undefined) {
      known.askers.push(asker);
      return known.verdict;
    }
    const askers = [asker];
    const isWanted = (): boolean => askers.some((one) => one.isThere());
    const verdict = this.#queue.do(asker.peer, isWanted, verify).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { verdict, askers });
    return verdict;
  }
}
