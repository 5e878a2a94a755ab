import { DevnodeError } from '../errors.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';

/** Groups that are worked off before other events have their turn: some milliseconds. */
const GROUPS_AT_ONCE = 8;

/** Groups that have been worked off before their places are given back: one at a time would move all others each time. */
const FORGET_AFTER = 1024;

export interface BacklogOptions {
  /** Groups that may wait. */
  readonly capacity: number;
  /** What becomes of a group. Whatever it refuses is nobody's concern any more. */
  readonly process: (group: readonly SignedTransaction[]) => void;
}

/** Groups submitted asynchronously, which are checked in order of arrival when nothing else is to do. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #waiting: (readonly SignedTransaction[])[] = [];
  #next = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #refused = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.length - this.#next;
  }

  /** Groups that found the backlog full. */
  get refused(): number {
    return this.#refused;
  }

  /** @throws DevnodeError `backlog_full` (503) */
  add(group: readonly SignedTransaction[]): void {
    if (this.size >= this.#options.capacity) {
      this.#refused++;
      throw new DevnodeError('backlog_full', 'backlog full', { status: 503 });
    }
    this.#waiting.push(group);
    this.#scheduled ??= setImmediate(() => this.#work());
  }

  close(): void {
    clearImmediate(this.#scheduled);
    this.#waiting.length = 0;
    this.#next = 0;
  }

  #work(): void {
    this.#scheduled = undefined;
    for (let done = 0; done < GROUPS_AT_ONCE && this.size > 0; done++) {
      const group = this.#waiting[this.#next++];
      if (group !== undefined) this.#options.process(group);
    }
    if (this.#next >= FORGET_AFTER || this.size === 0) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    if (this.size > 0) this.#scheduled = setImmediate(() => this.#work());
  }
}
