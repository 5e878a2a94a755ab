/** How long nothing may come to an end before those who wait give up. */
const QUIET_MS = 60_000;

/**
 * A deadline that moves as long as anything goes on: a slow machine takes longer and proves nothing, but if nothing has
 * come to an end for a long time, nothing will.
 */
export class ProgressDeadline {
  #progressAt = performance.now();

  /** Call when something has come to an end. */
  extend(): void {
    this.#progressAt = performance.now();
  }

  get hasPassed(): boolean {
    return performance.now() > this.#progressAt + QUIET_MS;
  }
}
