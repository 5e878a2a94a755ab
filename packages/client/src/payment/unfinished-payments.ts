import type { PaidRequest } from './paid-request.ts';

/** How long a confirmed payment without its answer is kept for the same request. */
const KEEP_CONFIRMED_MS = 600_000;
const MAX_HELD = 10_000;

/**
 * Payments that left and lack their answer or their receipt. The next identical request sends the same payment again
 * instead of making a new one.
 */
export class UnfinishedPayments {
  readonly #now: () => number;
  readonly #held = new Map<string, PaidRequest[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a payment that was kept for a request with this fingerprint. Nobody else gets it meanwhile. */
  take(fingerprint: string): PaidRequest | undefined {
    const held = (this.#held.get(fingerprint) ?? []).filter((one) => this.#isAlive(one));
    const next = held.shift();
    if (held.length > 0) this.#held.set(fingerprint, held);
    else this.#held.delete(fingerprint);
    return next;
  }

  /** Keeps a payment for the next request with this fingerprint. */
  keep(fingerprint: string, paid: PaidRequest): void {
    const held = this.#held.get(fingerprint) ?? [];
    this.#held.delete(fingerprint);
    this.#held.set(fingerprint, [...held, paid]);
    const oldest = this.#held.keys().next();
    if (this.#held.size > MAX_HELD && oldest.done === false) this.#held.delete(oldest.value);
  }

  /** Replaces a kept payment by what is known of it now. Does nothing if it was taken. */
  update(fingerprint: string, paid: PaidRequest): void {
    const held = this.#held.get(fingerprint) ?? [];
    const index = held.findIndex(({ proof }) => proof === paid.proof);
    if (index >= 0) held[index] = paid;
  }

  #isAlive({ state, unfinishedSince = 0 }: PaidRequest): boolean {
    return state === 'confirmed' ? this.#now() - unfinishedSince < KEEP_CONFIRMED_MS : state !== 'expired';
  }
}
