import type { DevControls } from '@avm402/devnode';

/** The whole ledger after a round, as a state file of the embedded node. */
export interface KeptLedger {
  readonly round: number;
  /** When the ledger got this state, milliseconds since 1970. */
  readonly since: number;
  readonly state: Uint8Array;
}

/** Ledgers that are kept; the oldest is dropped first. */
const MAX_LEDGERS = 32;
/** A ledger that has grown beyond this is no longer kept after each block: writing it would hold up the node. */
const MAX_BYTES = 1_000_000;

/** The latest ledgers of the embedded node, so that a payment can be run again from the state before it. */
export class LedgerHistory {
  readonly #controls: Pick<DevControls, 'dump' | 'state'>;
  #ledgers: readonly KeptLedger[] = [];
  /** The latest look at the ledger: they are taken one after another. */
  #look = Promise.resolve();
  /** The one that has not begun. */
  #next: Promise<void> | undefined;
  readonly #now: () => number;
  /** 0: nobody knows how old the first ledger found is. */
  #changedAt = 0;

  constructor(controls: Pick<DevControls, 'dump' | 'state'>, now: () => number) {
    this.#controls = controls;
    this.#now = now;
  }

  /** Call when the ledger has just changed. */
  changed(): void {
    this.#changedAt = this.#now();
    void this.keep();
  }

  /** Keeps the ledger as it is now. If one is being written already, all callers wait for one more. */
  keep(): Promise<void> {
    this.#next ??= this.#look = this.#look.then(() => this.#keepNow());
    return this.#next;
  }

  /** Forgets all ledgers, because the chain was replaced and they are not its past. */
  forget(): void {
    this.#ledgers = [];
  }

  /** The last known ledger from before a round; undefined if there is none. */
  before(round: number): KeptLedger | undefined {
    return this.#ledgers.findLast((ledger) => ledger.round < round);
  }

  /** The ledger at a time, in milliseconds since 1970; undefined if it is not known. */
  asOf(time: number): KeptLedger | undefined {
    return this.#ledgers.findLast(({ since }) => since <= time);
  }

  async #keepNow(): Promise<void> {
    this.#next = undefined;
    // A node without controls can't give its ledger.
    const kept = await this.#take().catch(() => undefined);
    if (kept !== undefined) this.#ledgers = [...this.#ledgers, kept].slice(-MAX_LEDGERS);
  }

  /** Undefined if blocks were made meanwhile: nobody knows then which round the file shows. */
  async #take(): Promise<KeptLedger | undefined> {
    if ((this.#ledgers.at(-1)?.state.length ?? 0) > MAX_BYTES) return undefined;
    const since = this.#changedAt;
    const { round } = await this.#controls.state();
    const state = await this.#controls.dump();
    const after = await this.#controls.state();
    return after.round === round ? { round: Number(round), since, state } : undefined;
  }
}
