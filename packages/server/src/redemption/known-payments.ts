import type { Presentation, Redemption } from './redemption.ts';
import type { RedemptionStore } from './redemption-store.ts';
import { storing } from '../stores/storing.ts';

/** Pause between looks at a claim of another process; changes of this process are reported at once. */
const LOOK_MS = 250;

/** A request that waits for another one with its payment. */
interface Waiting {
  readonly resolve: (row: Promise<Redemption | undefined>) => void;
  readonly timer: NodeJS.Timeout;
}

/** Finds what is known of payments, now or after the next change. Throws `store_unavailable` if the store fails. */
export class KnownPayments {
  readonly #store: RedemptionStore;
  readonly #monotonicNow: () => number;
  readonly #waiting = new Map<string, Set<Waiting>>();

  constructor(store: RedemptionStore, monotonicNow: () => number) {
    this.#store = store;
    this.#monotonicNow = monotonicNow;
  }

  /**
   * The row of the payment, or else that of another payment with its payment id, which conflicts with it. `row` is the
   * first of these, if it is being read already.
   */
  async find(
    { txId, paymentId }: Presentation,
    row?: Promise<Redemption | undefined>,
  ): Promise<Redemption | undefined> {
    const known = await (row ?? storing(() => this.#store.get(txId)));
    if (known !== undefined || paymentId === undefined) return known;
    return storing(() => this.#store.getByPaymentId(paymentId));
  }

  /** As `find`, once this process has changed the row, or after a while, when another process may have. */
  next(presented: Presentation, deadline: number): Promise<Redemption | undefined> {
    const { txId } = presented;
    const waiting = this.#waiting.get(txId) ?? new Set();
    this.#waiting.set(txId, waiting);
    const row = new Promise<Redemption | undefined>((resolve) => {
      const left = deadline - this.#monotonicNow();
      const timer = setTimeout(() => this.changed(txId), Math.max(1, Math.min(LOOK_MS, left)));
      waiting.add({ resolve, timer });
    });
    return this.find(presented, row);
  }

  /** Reads a row once for all who wait for it: anybody can send any number of requests with one payment. */
  changed(txId: string): void {
    const waiting = this.#waiting.get(txId);
    if (waiting === undefined) return;
    this.#waiting.delete(txId);
    const row = storing(() => this.#store.get(txId));
    for (const { resolve, timer } of waiting) {
      clearTimeout(timer);
      resolve(row);
    }
  }
}
