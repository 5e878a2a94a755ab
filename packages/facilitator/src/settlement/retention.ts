import { DAY_MS } from '@avm402/core/durations';
import type { SettlementStore } from './settlement-store.ts';

const BATCH = 500;
const PAUSE_MS = 60_000;

/** Forgets final settlements some days after the last work on them, a batch at a time. */
export class Retention {
  readonly #store: SettlementStore;
  readonly #days: number;
  /** When old settlements are looked for again, milliseconds since 1970. */
  #pruneAt = 0;

  constructor(store: SettlementStore, days: number) {
    this.#store = store;
    this.#days = days;
  }

  /** Removes a batch if it is time to. While there is more than one the next call goes on with it. */
  async prune(now: number): Promise<void> {
    if (now < this.#pruneAt) return;
    const removed = await this.#store.prune({ before: now - this.#days * DAY_MS, limit: BATCH });
    this.#pruneAt = removed < BATCH ? now + PAUSE_MS : 0;
  }
}
