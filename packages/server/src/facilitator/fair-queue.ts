import { X402Error } from '@avm402/core/errors';

/** How many may wait for each piece of work that runs. */
const WAITING_FOR_EACH = 16;

interface Waiting {
  readonly isWanted: () => boolean;
  readonly begin: () => void;
  readonly giveUp: (error: X402Error) => void;
}

/**
 * Limits how much work runs at once. Work that has begun is never interrupted; the rest waits. Peers take turns, and
 * each peer's work keeps its order, so that a crowd from one address does not hold up everybody else.
 */
export class FairQueue {
  readonly #atOnce: number;
  readonly #places: number;
  #working = 0;
  /** By peer; the first peer is next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
    this.#places = WAITING_FOR_EACH * atOnce;
  }

  /**
   * Runs `work` when its turn comes, unless nobody waits for it any more.
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

  /** A peer may have as many waiting as there are places left for others, so no crowd takes them all. */
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
