import { stateChange, type StateChange } from './schema.ts';

/** Changes that are told of. */
const MAX_CHANGES = 1000;

/** What controls have changed in ledger and pool, the oldest first. */
export class Changes {
  #all: readonly StateChange[] = [];

  get all(): readonly StateChange[] {
    return this.#all;
  }

  note(change: Partial<StateChange>): void {
    this.#all = [...this.#all, stateChange.of(change)].slice(-MAX_CHANGES);
  }

  clear(): void {
    this.#all = [];
  }

  /** Remembers what was changed. What comes back forgets what has been since. */
  mark(): () => void {
    const all = this.#all;
    return () => {
      this.#all = all;
    };
  }
}
