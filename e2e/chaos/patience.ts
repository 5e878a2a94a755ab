/** How long nothing at all may come to an end before those who wait give up. */
const QUIET_MS = 60_000;

/**
 * Waits as long as anything goes on: a slow machine takes longer and proves nothing, but when nobody has got any further
 * for a long time nobody will.
 */
export class Patience {
  #renewedAt = performance.now();

  /** Something came to an end. */
  renew(): void {
    this.#renewedAt = performance.now();
  }

  get isOver(): boolean {
    return performance.now() > this.#renewedAt + QUIET_MS;
  }
}
