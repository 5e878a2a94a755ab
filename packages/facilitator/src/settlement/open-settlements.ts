import { X402Error } from '@avm402/core/errors';
import { Counts } from '../counts.ts';

/** Limits on the settlements that a facilitator works on at a time, not counting those that it takes over. */
export interface OpenSettlementLimits {
  /** Most open settlements of one payer. */
  readonly perPayer: number;
  /** When all payers together have this many open settlements, each payer may have only one. */
  readonly crowded: number;
  /** Most open settlements of all payers. */
  readonly total: number;
}

/** Settlements that this process works on. */
export interface OpenSettlementCounts {
  /** Settlements whose outcome a caller may wait for. */
  readonly pending: number;
  /** Age of the oldest of them, since it was recorded; 0 if there is none. */
  readonly oldestPendingSeconds: number;
  /** Settlements that a node refused: they are watched until they expire. */
  readonly refused: number;
}

const LIMITS: OpenSettlementLimits = { perPayer: 500, crowded: 10_000, total: 50_000 };

/** The right to one open settlement. */
export interface Reservation {
  release(): void;
}

/**
 * Limits the settlements whose outcome is open. A refused payment stays open until it expires, so a stranger with a
 * single account could leave thousands of them. The limits keep room for other payers.
 */
export class OpenSettlements {
  readonly #limits: OpenSettlementLimits;
  readonly #byPayer = new Counts();
  #total = 0;

  constructor(limits: OpenSettlementLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Reserves room for one more settlement of a payer.
   * @throws X402Error `too_many_payments_in_flight`, `facilitator_busy`
   */
  reserve(payer: string): Reservation {
    const { perPayer, crowded, total } = this.#limits;
    if (this.#total >= total) throw new X402Error('facilitator_busy');
    const allowed = this.#total >= crowded ? 1 : perPayer;
    if (this.#byPayer.of(payer) >= allowed) throw new X402Error('too_many_payments_in_flight');
    return this.count(payer);
  }

  /** Counts a settlement that is open already, whatever the limits. */
  count(payer: string): Reservation {
    this.#total += 1;
    const releaseOwn = this.#byPayer.add(payer);
    const release = (): void => {
      this.#total -= 1;
      releaseOwn();
    };
    return { release };
  }
}
