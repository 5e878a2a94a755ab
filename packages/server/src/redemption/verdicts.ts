import type { VerifyResponse } from '@avm402/core/verify-response';
import { Turns } from './turns.ts';

/** A request that asks for a verdict. */
export interface Asker {
  /** Where it comes from: peers are served in turn. */
  readonly peer: string;
  /** Whether somebody still waits for the answer. */
  isThere(): boolean;
}

interface Verification {
  readonly verdict: Promise<VerifyResponse>;
  readonly askers: Asker[];
}

/**
 * Verifications under way. Identical bytes for identical requirements share one; different bytes of the same
 * transaction are verified side by side, so that a copy with a forged signature holds nobody up.
 */
export class Verdicts {
  readonly #turns: Turns;
  readonly #underWay = new Map<string, Verification>();

  constructor(maximum: number) {
    this.#turns = new Turns(maximum);
  }

  /**
   * The verdict on what `key` stands for; `verify` is called in its turn, unless that is under way.
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
    const verdict = this.#turns.do(asker.peer, isWanted, verify).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { verdict, askers });
    return verdict;
  }
}
