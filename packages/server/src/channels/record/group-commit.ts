import type { ChangeOutcome, ChannelChange, ChannelStore } from './channel-store.ts';

/** Something whose changes are written together with those of others. */
export interface Committing {
  /**
   * The change that waits to be written; undefined if none does any more. Nothing else is asked for until the outcome
   * is told.
   */
  change(): ChannelChange | undefined;
  /** Whether its last write has failed: the next one must not take others down with it. */
  readonly isSuspect: boolean;
  written(outcome: ChangeOutcome): void;
  /** It is unknown whether the change was written. */
  failed(error: unknown): void;
}

/** Writes under way at once. A store with several connections works on them side by side. */
const MAX_WRITES = 4;

/** Group commit: everything that waits when a write starts goes with it, so that many requests cost one write. */
export class GroupCommit {
  readonly #store: Pick<ChannelStore, 'write'>;
  readonly #waiting = new Set<Committing>();
  #writes = 0;
  #isScheduled = false;

  constructor(store: Pick<ChannelStore, 'write'>) {
    this.#store = store;
  }

  /** Asks for a write. If one is already under way, its outcome must be told first. */
  submit(one: Committing): void {
    this.#waiting.add(one);
    this.#schedule();
  }

  /** Requests that are read in one turn of the event loop share a write. */
  #schedule(): void {
    if (this.#isScheduled || this.#writes >= MAX_WRITES || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      void this.#write(waiting.filter(({ isSuspect }) => !isSuspect));
      for (const suspect of waiting.filter(({ isSuspect }) => isSuspect)) void this.#write([suspect]);
    });
  }

  async #write(waiting: readonly Committing[]): Promise<void> {
    const writing = waiting.flatMap((one) => {
      const change = one.change();
      return change === undefined ? [] : [{ one, change }];
    });
    if (writing.length === 0) return;
    this.#writes++;
    try {
      const outcomes = await this.#store.write(writing.map(({ change }) => change));
      for (const [index, { one }] of writing.entries()) tell(one, outcomes[index]);
    } catch (error) {
      for (const { one } of writing) one.failed(error);
    } finally {
      this.#writes--;
      this.#schedule();
    }
  }
}

function tell(one: Committing, outcome: ChangeOutcome | undefined): void {
  if (outcome === undefined) one.failed(new Error('the store returned no outcome for this change'));
  else one.written(outcome);
}
