import { DAY_MS, HOUR_MS } from '@avm402/core/durations';
import { Pause } from '../pause.ts';
import type { SettlementStore } from './settlement-store.ts';

const BATCH = 500;
const PAUSE_MS = 60_000;

/** A jump of the clock: when it was seen, and how far it went. */
interface Jump {
  readonly at: number;
  readonly ms: number;
}

/**
 * Deletes final settlements, in batches, some days after the last work on them. The time that a jump of the clock passed
 * over counts a day later: a clock that is wrong can be set right, and what is deleted is lost.
 */
export class Retention {
  readonly #store: SettlementStore;
  readonly #days: number;
  /** Until old settlements are looked for again. */
  readonly #pause = new Pause();
  #lastNow: number | undefined;
  #jumps: Jump[] = [];

  constructor(store: SettlementStore, days: number) {
    this.#store = store;
    this.#days = days;
  }

  /** Removes a batch if it is time. If the batch was full, the next call continues at once. */
  async prune(now: number): Promise<void> {
    const ms = now - (this.#lastNow ?? now);
    this.#lastNow = now;
    if (ms > HOUR_MS) this.#jumps.push({ at: now, ms });
    this.#jumps = this.#jumps.filter(({ at }) => at <= now && now < at + DAY_MS);
    if (!this.#pause.isOver(now)) return;
    const jumped = this.#jumps.reduce((sum, jump) => sum + jump.ms, 0);
    const removed = await this.#store.prune({ before: now - jumped - this.#days * DAY_MS, limit: BATCH });
    this.#pause.begin(now, removed < BATCH ? PAUSE_MS : 0);
  }
}
