import { Pause } from '../pause.ts';
import type { SettlementStore } from '../settlement/settlement-store.ts';

const KNOWN_MS = 1_000;

/** Whether a store accepts writes. It is tested with a write at most once a second, however many ask. */
export class WritableStore {
  readonly #store: Pick<SettlementStore, 'checkWritable'>;
  readonly #now: () => number;
  #asked: Promise<boolean> | undefined;
  #isKnownWritable = false;
  readonly #pause = new Pause();

  constructor(store: Pick<SettlementStore, 'checkWritable'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async isWritable(): Promise<boolean> {
    if (!this.#pause.isOver(this.#now())) return this.#isKnownWritable;
    this.#asked ??= this.#ask().finally(() => (this.#asked = undefined));
    return this.#asked;
  }

  async #ask(): Promise<boolean> {
    this.#isKnownWritable = await this.#store.checkWritable().then(
      () => true,
      () => false,
    );
    this.#pause.begin(this.#now(), KNOWN_MS);
    return this.#isKnownWritable;
  }
}
