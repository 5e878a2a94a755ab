import { Counts } from '../counts.ts';

/**
 * Look-ups that may wait for one settlement. Its seller needs one a replica; without a limit one open payment of a
 * stranger would let requests without a body use up all places.
 */
const MAX_LOOK_UPS = 8;

/** Waits for something, until the signal says that the caller has waited long enough. */
type Wait<T> = (enough: AbortSignal) => Promise<T>;

/** Waits for an outcome, within the time that a caller has. */
export type InTime = <T>(wait: Wait<T>) => Promise<T>;

/** The callers that wait for the outcome of settlements. */
export class Waits {
  readonly #longestMs: number;
  /** One for each waiting caller; aborting it ends the wait. */
  readonly #waiters = new Set<AbortController>();
  /** How many look-ups wait, by TxID. */
  readonly #lookUps = new Counts();
  #hasStopped = false;

  /** @param longestMs how long each of them waits at most */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** The waits for a caller who has asked for several settlements: together they last as long as one at most. */
  inTime(): InTime {
    let leftMs = this.#longestMs;
    return async (wait) => {
      const begun = performance.now();
      return this.forOutcome(wait, leftMs).finally(() => (leftMs -= performance.now() - begun));
    };
  }

  /** Waits for a caller who has asked for the settlement. */
  async forOutcome<T>(wait: Wait<T>, longestMs = this.#longestMs): Promise<T> {
    const waiter = new AbortController();
    const timer = setTimeout(() => waiter.abort(), this.#hasStopped ? 0 : longestMs);
    this.#waiters.add(waiter);
    try {
      return await wait(waiter.signal);
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** Waits for a caller who only looks the settlement up; undefined at once if too many such callers wait for it. */
  async forLookUp<T>(txId: string, longestMs: number, wait: Wait<T>): Promise<T | undefined> {
    if (this.#lookUps.of(txId) >= MAX_LOOK_UPS) return undefined;
    const end = this.#lookUps.add(txId);
    try {
      return await this.forOutcome(wait, Math.min(longestMs, this.#longestMs));
    } finally {
      end();
    }
  }

  /** Ends all waits, now and later. */
  stop(): void {
    this.#hasStopped = true;
    for (const waiter of this.#waiters) waiter.abort();
  }
}
