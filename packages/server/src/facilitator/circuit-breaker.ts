const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;

/** Stops calls to an endpoint that keeps failing, so that no request waits for it. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = -Infinity;

  /** @param now milliseconds of a clock that nobody sets */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the endpoint should not be called now. After the pause, a single failure opens the breaker again. */
  get isOpen(): boolean {
    return this.#now() < this.#openUntil;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures++;
    if (this.#failures >= FAILURES_TO_OPEN) this.#openUntil = this.#now() + OPEN_MS;
  }
}
