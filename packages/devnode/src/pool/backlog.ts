import { DevnodeError } from '../errors.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';

/** How long the worker goes on before it lets other events in, in ms. */
const SLICE_MS = 5;

export interface BacklogOptions {
  /** Groups that may wait. */
  readonly capacity: number;
  /** What becomes of a group. Whatever it refuses is nobody's concern any more. */
  readonly process: (group: readonly SignedTransaction[]) => void;
  /** Milliseconds of some clock. */
  readonly now: () => number;
}

/** Groups submitted asynchronously, which are checked in order of arrival when nothing else is to do. */
export class Backlog {
  readonly #options: BacklogOptions;
  #waiting: (readonly SignedTransaction[])[] = [];
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
    this.#waiting = [];
    this.#next = 0;
  }

  #work(): void {
    const until = this.#options.now() + SLICE_MS;
    this.#scheduled = undefined;
    do {
      const group = this.#waiting[this.#next++];
      if (group !== undefined) this.#options.process(group);
    } while (this.size > 0 && this.#options.now() < until);
    if (this.size > 0) this.#scheduled = setImmediate(() => this.#work());
    else {
      this.#waiting = [];
      this.#next = 0;
    }
  }
}
