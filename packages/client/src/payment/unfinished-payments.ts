import type { PaidRequest } from './paid-request.ts';

/** How long a payment that was confirmed, but never answered, is offered again to the same request. */
const KEEP_CONFIRMED_MS = 600_000;
const MAX_HELD = 10_000;

/**
 * Payments that left without an answer that closes them. The next identical request sends the same payment again
 * instead of paying anew.
 */
export class UnfinishedPayments {
  readonly #now: () => number;
  readonly #held = new Map<string, PaidRequest[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a payment that was kept for a request with this fingerprint; nobody else gets it meanwhile. */
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

  /** Puts what is known now in the place of a payment that is kept. Does nothing if somebody has taken it. */
  update(fingerprint: string, paid: PaidRequest): void {
    const held = this.#held.get(fingerprint) ?? [];
    const index = held.findIndex(({ proof }) => proof === paid.proof);
    if (index >= 0) held[index] = paid;
  }

  #isAlive({ state, unfinishedSince = 0 }: PaidRequest): boolean {
    return state === 'confirmed' ? this.#now() - unfinishedSince < KEEP_CONFIRMED_MS : state !== 'expired';
  }
}
