const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;

/** Stops calls to an endpoint that keeps failing, so that no request waits for it. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the endpoint should not be called now. After the pause, a single failure opens the breaker again. */
  get isOpen(): boolean {
    const left = this.#openUntil - this.#now();
    // If more than a whole pause is left, the clock was set back.
    return left > 0 && left <= OPEN_MS;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures++;
    if (this.#failures >= FAILURES_TO_OPEN) this.#openUntil = this.#now() + OPEN_MS;
  }
}
