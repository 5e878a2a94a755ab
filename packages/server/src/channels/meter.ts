/** What a request that is paid by a channel costs so far, atomic units: what its handler charges, or all that it may cost. */
export class Meter {
  readonly #maximum: bigint;
  #total = 0n;
  #taken = 0n;
  #isMetered = false;
  #whenUsedUp: (() => void) | undefined;

  constructor(maximum: bigint) {
    this.#maximum = maximum;
  }

  /** Adds to what the request costs. False: that would be more than it may cost. */
  add(amount: bigint): boolean {
    this.#isMetered = true;
    if (this.#total + amount <= this.#maximum) {
      this.#total += amount;
      return true;
    }
    // A stream is cut off before what can't be paid for; an answer that is there already costs all that it may.
    if (this.#whenUsedUp) this.#whenUsedUp();
    else this.#total = this.#maximum;
    return false;
  }

  /** What was added since it was last taken; all that the request may cost where its handler charges nothing itself. */
  take(): bigint {
    if (!this.#isMetered) this.#total = this.#maximum;
    const untaken = this.#total - this.#taken;
    this.#taken = this.#total;
    return untaken;
  }

  /** What was taken so far. */
  get taken(): bigint {
    return this.#taken;
  }

  /** From now on the answer streams; `end` is called when more is to be charged than it may cost. */
  streams(end: () => void): void {
    this.#whenUsedUp = end;
  }
}
