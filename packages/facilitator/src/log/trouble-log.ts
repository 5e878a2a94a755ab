import type { Log } from './log.ts';

/**
 * Logs recurring trouble without a line for each time: when it begins, when it has happened ten times, a hundred times
 * and so on, and when it is over.
 */
export class TroubleLog {
  readonly #log: Log;
  /** How often each trouble has happened since it began. */
  readonly #times = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `of` distinguishes several things that can have the same trouble, such as two nodes. */
  happened(trouble: string, facts: object, of = ''): void {
    const key = keyOf(trouble, of);
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    if (Number.isInteger(Math.log10(times))) this.#log.warn({ ...facts, times }, trouble);
  }

  /** Does nothing if there was no trouble. */
  isOver(trouble: string, message: string, facts: object, of = ''): void {
    const key = keyOf(trouble, of);
    const times = this.#times.get(key);
    if (times === undefined) return;
    this.#times.delete(key);
    this.#log.info({ ...facts, times }, message);
  }
}

function keyOf(trouble: string, of: string): string {
  return `${trouble} ${of}`;
}
