import { stateChange, type StateChange } from './schema.ts';

/** The most changes that are listed. */
const MAX_CHANGES = 1000;

/** The changes that controls have made in ledger and pool, oldest first. */
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

  /** Remembers the changes so far. The returned function forgets those made since. */
  mark(): () => void {
    const all = this.#all;
    return () => {
      this.#all = all;
    };
  }
}
