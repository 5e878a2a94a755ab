import { DAY_MS } from '@avm402/core/durations';
import { Pause } from '../pause.ts';
import type { SettlementStore } from './settlement-store.ts';

const BATCH = 500;
const PAUSE_MS = 60_000;

/** Deletes final settlements, in batches, some days after the last work on them. */
export class Retention {
  readonly #store: SettlementStore;
  readonly #days: number;
  /** Until old settlements are looked for again. */
  readonly #pause = new Pause();

  constructor(store: SettlementStore, days: number) {
    this.#store = store;
    this.#days = days;
  }

  /** Removes a batch if it is time. If the batch was full, the next call continues at once. */
  async prune(now: number): Promise<void> {
    if (!this.#pause.isOver(now)) return;
    const removed = await this.#store.prune({ before: now - this.#days * DAY_MS, limit: BATCH });
    this.#pause.begin(now, removed < BATCH ? PAUSE_MS : 0);
  }
}
