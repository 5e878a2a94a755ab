import { BoundedMap } from '@avm402/core/bounded-map';
import type { Redemption } from './redemption.ts';

/** Time without renewal after which a claim counts as dead. */
export const LEASE_MS = 30_000;
/**
 * Claims that are watched. Beyond that, the one that was seen first is dropped, and watched anew when it is seen again.
 */
const MAX_OBSERVED = 10_000;

interface Observed {
  readonly owner: string;
  readonly version: number;
  /** When the row was first seen as it is; `-Infinity` for a claim that is known to be dead. */
  readonly since: number;
}

/**
 * Tells claims at work from dead ones. A claim renews its row as long as it works; one whose row has not changed for a
 * lease, as measured here, is dead. Only time by a clock that nobody sets counts, so a step of the time of day ends no
 * claim, and the clock of another machine does not either.
 */
export class Leases {
  readonly #monotonicNow: () => number;
  /** By TxID. */
  readonly #observed = new BoundedMap<string, Observed>(MAX_OBSERVED);

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow;
  }

  /** Whether a request works on the payment. */
  isAtWork({ txId, held, owner, version }: Redemption): boolean {
    const known = this.#observed.get(txId);
    if (!held) {
      this.#observed.delete(txId);
      return false;
    }
    const now = this.#monotonicNow();
    const isSame = known?.owner === owner && (known.version === version || known.since === -Infinity);
    if (isSame) return now - known.since < LEASE_MS;
    this.#observed.set(txId, { owner, version, since: now });
    return true;
  }

  /** A claim of this process has ended without saying so in its row, for instance because the store failed. */
  ended({ txId, owner, version }: Pick<Redemption, 'txId' | 'owner' | 'version'>): void {
    this.#observed.set(txId, { owner, version, since: -Infinity });
  }
}
