import { DevnodeError } from '../errors.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';

/** Transactions processed at once while groups keep arriving: few, because their submitters wait for an answer. */
const AT_ONCE_WHILE_MORE_COME = 2;

/** The same when no more groups arrive: enough for all verifying threads, and at most some milliseconds. */
const AT_ONCE = 32;

/** Processed groups are removed from the list this many at a time, because each removal moves all the others. */
const FORGET_AFTER = 1024;

type Group = readonly SignedTransaction[];

export interface BacklogOptions {
  /** How many groups may wait. */
  readonly capacity: number;
  /** Processes some groups, and resolves when it has. It does not report the groups that it refuses. */
  readonly process: (groups: readonly Group[]) => Promise<void>;
  /** Called with an error that `process` throws. The groups are lost, and the backlog goes on. */
  readonly onError: (error: unknown) => void;
}

/** Groups submitted asynchronously. They are checked in order of arrival when there is nothing else to do. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #groups: Group[] = [];
  #done = 0;
  /** How many groups are being processed. */
  #underway = 0;
  /** Whether a group has arrived since some were last processed. */
  #moreCame = false;
  #scheduled: NodeJS.Immediate | undefined;
  #busy = false;
  #refused = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** The number of groups not yet processed. */
  get size(): number {
    return this.#groups.length - this.#done;
  }

  /** The number of groups refused because the backlog was full. */
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

  /** Forgets the waiting groups; those being processed go on. */
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
