/** What a settlement goes through, one after the other. */
export type Phase = 'verify' | 'record' | 'submit' | 'confirm';

/** How long each phase of a settlement took. A settlement that was taken over has no times from before that. */
export class PhaseTimes {
  readonly #now: () => number;
  readonly #ms: Partial<Record<Phase, number>> = {};
  #last: number;

  /** The first phase begins now. */
  constructor(now: () => number) {
    this.#now = now;
    this.#last = now();
  }

  /** Milliseconds of each phase that has ended. */
  get ms(): Readonly<Partial<Record<Phase, number>>> {
    return this.#ms;
  }

  /** Ends a phase, and the next one begins. Where it is repeated only the first time counts. */
  end(phase: Phase): void {
    if (this.#ms[phase] !== undefined) return;
    const now = this.#now();
    this.#ms[phase] = now - this.#last;
    this.#last = now;
  }
}
