import { X402Error } from '@avm402/core/errors';

/** Places to wait in, for each that work is done in. */
const WAITING_FOR_EACH = 16;

interface Waiting {
  readonly isWanted: () => boolean;
  readonly begin: () => void;
  readonly giveUp: (error: X402Error) => void;
}

/**
 * Bounds work that strangers cause. What has begun is never broken off. The rest waits: that of one peer in the order of
 * arrival, the peers in turn, so that a crowd from one place does not stand before everybody else.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #places: number;
  #working = 0;
  /** By peer; first the one whose turn is next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
    this.#places = WAITING_FOR_EACH * atOnce;
  }

  /**
   * Does the work when its turn has come, if it is still wanted then.
   * @throws X402Error `verification_overloaded`, and whatever `work` throws
   */
  async do<T>(peer: string, isWanted: () => boolean, work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#atOnce) this.#working++;
    else await this.#wait(peer, isWanted);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /** A peer may take as many places as are left to others: no crowd takes them all, and nobody alone leaves any unused. */
  #wait(peer: string, isWanted: () => boolean): Promise<void> {
    const own = this.#waiting.get(peer) ?? [];
    if (own.length >= this.#places - this.#count) throw new X402Error('verification_overloaded');
    this.#waiting.set(peer, own);
    this.#count++;
    return new Promise((begin, giveUp) => own.push({ isWanted, begin, giveUp }));
  }

  #passOn(): void {
    for (const [peer, [next, ...others]] of this.#waiting) {
      this.#waiting.delete(peer);
      if (others.length > 0) this.#waiting.set(peer, others);
      if (next === undefined) continue;
      this.#count--;
      if (next.isWanted()) return next.begin();
      next.giveUp(new X402Error('verification_overloaded'));
    }
    this.#working--;
  }
}
