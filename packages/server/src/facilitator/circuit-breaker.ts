const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;

/** Spares an endpoint that fails again and again, and everybody who would wait for it. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether to leave the endpoint alone for now. After the pause one failure is enough to open it again. */
  get isOpen(): boolean {
    const left = this.#openUntil - this.#now();
    // Longer than any pause: the clock was set back.
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
