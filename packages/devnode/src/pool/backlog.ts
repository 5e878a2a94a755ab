import { DevnodeError } from '../errors.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';

/** Groups that are worked off before other events have their turn: some milliseconds. */
const GROUPS_AT_ONCE = 8;

/** Groups that have been worked off before their places are given back: one at a time would move all others each time. */
const FORGET_AFTER = 1024;

export interface BacklogOptions {
  /** Groups that may wait. */
  readonly capacity: number;
  /** What becomes of some groups; resolves when it has. Whatever it refuses is nobody's concern any more. */
  readonly process: (groups: readonly (readonly SignedTransaction[])[]) => Promise<void>;
}

/** Groups submitted asynchronously, which are checked in order of arrival when nothing else is to do. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #waiting: (readonly SignedTransaction[])[] = [];
  #next = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #busy = false;
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
    if (!this.#busy) this.#schedule();
  }

  close(): void {
    clearImmediate(this.#scheduled);
    this.#waiting.length = 0;
    this.#next = 0;
  }

  #schedule(): void {
    this.#busy = true;
    this.#scheduled = setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    const groups = this.#waiting.slice(this.#next, this.#next + GROUPS_AT_ONCE);
    this.#next += groups.length;
    if (this.#next >= FORGET_AFTER || this.size === 0) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    await this.#options.process(groups);
    this.#busy = false;
    if (this.size > 0) this.#schedule();
  }
}
