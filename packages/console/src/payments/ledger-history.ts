import type { DevControls } from '@avm402/devnode';

/** The whole ledger after a round, as a state file of the embedded node. */
export interface KeptLedger {
  readonly round: number;
  /** Since when it was this, milliseconds since 1970. */
  readonly since: number;
  readonly state: Uint8Array;
}

/** Ledgers that are kept; the oldest goes first. */
const MAX_LEDGERS = 32;
/** A ledger that has grown beyond this is kept no more after each block: writing it would hold the node up. */
const MAX_BYTES = 1_000_000;

/** The latest ledgers of the embedded node, so that a payment can be run again from what was before it. */
export class LedgerHistory {
  readonly #controls: Pick<DevControls, 'dump' | 'state'>;
  #ledgers: readonly KeptLedger[] = [];
  #keeping: Promise<void> | undefined;
  readonly #now: () => number;
  /** What is found first has been so since nobody knows when. */
  #changedAt = 0;
  #isDue = false;

  constructor(controls: Pick<DevControls, 'dump' | 'state'>, now: () => number) {
    this.#controls = controls;
    this.#now = now;
  }

  /** The ledger has become another one just now. */
  changed(): void {
    this.#changedAt = this.#now();
    void this.keep();
  }

  /** Keeps the ledger as it is now. While one is written, all that ask wait for one more. */
  async keep(): Promise<void> {
    this.#isDue = true;
    this.#keeping ??= this.#keepWhileDue().finally(() => (this.#keeping = undefined));
    await this.#keeping;
  }

  /** The chain has become another one: none of them is its past any more. */
  forget(): void {
    this.#ledgers = [];
  }

  /** The last ledger that is known from before a round; undefined if none is. */
  before(round: number): KeptLedger | undefined {
    return this.#ledgers.findLast((ledger) => ledger.round < round);
  }

  /** The ledger of a time, in milliseconds since 1970, as far as it is known; undefined if it isn't. */
  asOf(time: number): KeptLedger | undefined {
    return this.#ledgers.findLast(({ since }) => since <= time);
  }

  async #keepWhileDue(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      // A node without controls has no ledger to give.
      const kept = await this.#take().catch(() => undefined);
      if (kept !== undefined) this.#ledgers = [...this.#ledgers, kept].slice(-MAX_LEDGERS);
    }
  }

  /** Undefined where blocks were made meanwhile: nobody knows which round the file is of. */
  async #take(): Promise<KeptLedger | undefined> {
    if ((this.#ledgers.at(-1)?.state.length ?? 0) > MAX_BYTES) return undefined;
    const since = this.#changedAt;
    const { round } = await this.#controls.state();
    const state = await this.#controls.dump();
    const after = await this.#controls.state();
    return after.round === round ? { round: Number(round), since, state } : undefined;
  }
}
