import type { PaymentRequired } from '@avm402/core/payment-required';

interface Remembered {
  readonly required: PaymentRequired;
  readonly until: number;
}

/** An offer is remembered for as long as it holds, at most so many ms. */
const LONGEST_MS = 300_000;
const MAX_ROUTES = 1000;

/** Offers that were paid, by method, origin and path: the next request can pay at the first try. */
export class RememberedOffers {
  readonly #now: () => number;
  readonly #offers = new Map<string, Remembered>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get(method: string, url: string): PaymentRequired | undefined {
    const remembered = this.#offers.get(routeKey(method, url));
    return remembered && remembered.until > this.#now() ? remembered.required : undefined;
  }

  remember(method: string, url: string, required: PaymentRequired): void {
    const key = routeKey(method, url);
    const seconds = Math.min(...required.accepts.map(({ maxTimeoutSeconds }) => maxTimeoutSeconds));
    this.#offers.delete(key);
    this.#offers.set(key, { required, until: this.#now() + Math.min(LONGEST_MS, seconds * 1000) });
    const oldest = this.#offers.keys().next();
    if (this.#offers.size > MAX_ROUTES && oldest.done === false) this.#offers.delete(oldest.value);
  }

  forget(method: string, url: string): void {
    this.#offers.delete(routeKey(method, url));
  }
}

function routeKey(method: string, url: string): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}
