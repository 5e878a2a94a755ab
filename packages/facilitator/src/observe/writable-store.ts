import type { SettlementStore } from '../settlement/settlement-store.ts';

const KNOWN_MS = 1_000;

/** Whether a store accepts writes. It is tested with a write at most once a second, however many ask. */
export class WritableStore {
  readonly #store: Pick<SettlementStore, 'checkWritable'>;
  readonly #now: () => number;
  #asked: Promise<boolean> | undefined;
  #known = { isWritable: false, until: -Infinity };

  constructor(store: Pick<SettlementStore, 'checkWritable'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async isWritable(): Promise<boolean> {
    if (this.#now() < this.#known.until) return this.#known.isWritable;
    this.#asked ??= this.#ask().finally(() => (this.#asked = undefined));
    return this.#asked;
  }

  async #ask(): Promise<boolean> {
    const isWritable = await this.#store.checkWritable().then(
      () => true,
      () => false,
    );
    this.#known = { isWritable, until: this.#now() + KNOWN_MS };
    return isWritable;
  }
}
