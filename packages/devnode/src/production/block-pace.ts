import { shuttingDown } from '../errors.ts';
import type { GroupMember } from '../transaction/member.ts';

/** A transaction of a short window is running out of rounds if it has this many left or fewer, and had more when made. */
const FEW_ROUNDS = 7n;
/** A window of more rounds than this is not used up by a burst of payments. */
const SHORT_WINDOW = 100n;
/** Rounds that always pass between asking for parameters and submitting. */
const PASSED_ROUNDS = 3n;
/** Divided by the rounds left, this is the time between blocks; the last seven rounds together take five seconds. */
const LONGEST_SPACING_MS = 2000;

/** Called when the waiting groups are in a block, or with the error that prevented it. */
export type Settled = (error?: unknown) => void;

export interface BlockPaceOptions {
  /** The wall clock in ms since 1970. */
  readonly now: () => number;
  readonly makeBlocks: () => void;
}

/**
 * Makes blocks as soon as they are asked for, but slows down while arriving transactions are running out of rounds, so
 * that they share blocks. If every payment had its own block, payments made at the same time would use up the ten
 * rounds that stock clients give them.
 */
export class BlockPace {
  readonly #options: BlockPaceOptions;
  #waiting: Settled[] = [];
  #timer: NodeJS.Timeout | undefined;
  #madeAt = Number.NEGATIVE_INFINITY;
  #spacingMs = 0;
  #lastShortAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: BlockPaceOptions) {
    this.#options = options;
  }

  /** Takes note of a group that arrives when `latest` is the last round. */
  noteArrival(group: readonly GroupMember[], latest: bigint): void {
    for (const { transaction } of group) {
      const { firstValid, lastValid } = transaction;
      const [passed, left] = [latest - firstValid, lastValid - latest];
      // One without rounds left is refused whatever the pace.
      if (left < 1n || left > FEW_ROUNDS || passed < PASSED_ROUNDS || lastValid - firstValid > SHORT_WINDOW) continue;
      const spacingMs = LONGEST_SPACING_MS / Number(left);
      this.#spacingMs = Math.max(spacingMs, this.#currentSpacingMs());
      this.#lastShortAt = this.#options.now();
    }
  }

  /** Forgets the groups seen so far. */
  forget(): void {
    this.#lastShortAt = Number.NEGATIVE_INFINITY;
  }

  /** Makes blocks now or later, and then calls back. */
  ask(settled: Settled): void {
    if (this.#closed) {
      settled(shuttingDown());
      return;
    }
    this.#waiting.push(settled);
    if (this.#timer !== undefined) return;
    this.#settleAfter(() => {
      const waitMs = this.#waitMs();
      if (waitMs > 0) this.#timer = setTimeout(() => this.#settleAfter(() => this.#make()), waitMs);
      else this.#make();
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#settle(shuttingDown());
  }

  /** None once the clock is set back: nobody knows then how long ago it began. */
  #currentSpacingMs(): number {
    const since = this.#options.now() - this.#lastShortAt;
    return since >= 0 && since < LONGEST_SPACING_MS ? this.#spacingMs : 0;
  }

  /** Never longer than the spacing, even if the clock is set back. */
  #waitMs(): number {
    // Differs from algod: block-pace
    const spacingMs = this.#currentSpacingMs();
    return Math.min(spacingMs, this.#madeAt + spacingMs - this.#options.now());
  }

  #make(): void {
    this.#timer = undefined;
    this.#madeAt = this.#options.now();
    this.#options.makeBlocks();
  }

  /** Settles what waits, unless the step has left that to a timer. */
  #settleAfter(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#settle(error);
      return;
    }
    if (this.#timer === undefined) this.#settle();
  }

  #settle(error?: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const settled of waiting) settled(error);
  }
}
