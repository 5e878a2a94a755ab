import { DevnodeError } from '../errors.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';

/** Transactions that are worked off at once while more keep coming: their submitters wait for an answer. */
const AT_ONCE_WHILE_MORE_COME = 2;

/** The same when no more come: enough for all threads that verify, and no more than some milliseconds. */
const AT_ONCE = 32;

/** Groups that have been worked off before their places are given back: one at a time would move all others each time. */
const FORGET_AFTER = 1024;

type Group = readonly SignedTransaction[];

export interface BacklogOptions {
  /** Groups that may wait. */
  readonly capacity: number;
  /** Works off some groups, and resolves when it has. Nothing reports what it refuses. */
  readonly process: (groups: readonly Group[]) => Promise<void>;
  /** Told of an error that `process` throws. The groups are gone, and the backlog goes on. */
  readonly onError: (error: unknown) => void;
}

/** Groups submitted asynchronously, which are checked in order of arrival when nothing else is to do. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #groups: Group[] = [];
  #done = 0;
  /** How many groups are being worked off. */
  #underway = 0;
  /** Whether a group came since some were last worked off. */
  #moreCame = false;
  #scheduled: NodeJS.Immediate | undefined;
  #busy = false;
  #refused = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Groups that are not worked off yet. */
  get size(): number {
    return this.#groups.length - this.#done;
  }

  /** Groups that found the backlog full. */
  get refused(): number {
    return this.#refused;
  }

  /** @throws DevnodeError `backlog_full` (503) */
  add(group: Group): void {
    if (this.size >= this.#options.capacity) {
      this.#refused++;
      throw new DevnodeError('backlog_full', 'backlog full', { status: 503 });
    }
    this.#groups.push(group);
    this.#moreCame = true;
    if (!this.#busy) this.#schedule();
  }

  /** Forgets what waits; what is being worked off goes on. */
  clear(): void {
    this.#groups.splice(this.#done + this.#underway);
  }

  close(): void {
    clearImmediate(this.#scheduled);
    this.#groups.length = 0;
    this.#done = 0;
  }

  #schedule(): void {
    this.#busy = true;
    this.#scheduled = setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    const groups = this.#first();
    this.#underway = groups.length;
    await this.#options.process(groups).catch(this.#options.onError);
    this.#underway = 0;
    this.#forget(groups.length);
    this.#busy = false;
    if (this.size > 0) this.#schedule();
  }

  #first(): readonly Group[] {
    const most = this.#moreCame ? AT_ONCE_WHILE_MORE_COME : AT_ONCE;
    this.#moreCame = false;
    const groups: Group[] = [];
    let transactions = 0;
    while (transactions < most && groups.length < this.size) {
      const group = this.#groups[this.#done + groups.length] ?? [];
      transactions += group.length;
      groups.push(group);
    }
    return groups;
  }

  #forget(count: number): void {
    this.#done += count;
    if (this.#done < FORGET_AFTER && this.size > 0) return;
    this.#groups.splice(0, this.#done);
    this.#done = 0;
  }
}
