import { DAY_MS, HOUR_MS } from '@avm402/core/durations';
import { Pause } from '../pause.ts';
import type { SettlementStore } from './settlement-store.ts';

const BATCH = 500;
const PAUSE_MS = 60_000;

/**
 * Deletes final settlements, in batches, some days after the last work on them. After a jump of the clock nothing is
 * deleted for a day: a clock that is wrong can be set right, and what is deleted is lost.
 */
export class Retention {
  readonly #store: SettlementStore;
  readonly #days: number;
  /** Until old settlements are looked for again. */
  readonly #pause = new Pause();
  #lastNow: number | undefined;

  constructor(store: SettlementStore, days: number) {
    this.#store = store;
    this.#days = days;
  }

  /** Removes a batch if it is time. If the batch was full, the next call continues at once. */
  async prune(now: number): Promise<void> {
    if (this.#lastNow !== undefined && now - this.#lastNow > HOUR_MS) this.#pause.begin(now, DAY_MS);
    this.#lastNow = now;
    if (!this.#pause.isOver(now)) return;
    const removed = await this.#store.prune({ before: now - this.#days * DAY_MS, limit: BATCH });
    this.#pause.begin(now, removed < BATCH ? PAUSE_MS : 0);
  }
}
