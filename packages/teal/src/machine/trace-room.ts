import type { StackValue } from './stack-value.ts';

const MAX_STEPS = 1_000_000;
const MAX_VALUE_BYTES = 268_435_456;

/** Thrown where a trace would take too much memory. */
export class TraceTooLong extends Error {
  override readonly name = 'TraceTooLong';
}

/** The room that is left for a group's traces. */
export class TraceRoom {
  #steps = 0;
  #bytes = 0;

  /** Counts one more step, and a value that it holds. */
  take(value: StackValue | undefined): void {
    this.#steps++;
    this.keep(value);
  }

  keep(value: StackValue | undefined): void {
    if (typeof value === 'object') this.#bytes += value.length;
    if (this.#steps <= MAX_STEPS && this.#bytes <= MAX_VALUE_BYTES) return;
    throw new TraceTooLong(`a trace holds at most ${MAX_STEPS} steps and ${MAX_VALUE_BYTES} bytes of values`);
  }
}
