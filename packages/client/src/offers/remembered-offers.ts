import { BoundedMap } from '@avm402/core/bounded-map';
import type { ChosenOffer } from './choose-offer.ts';

interface Remembered {
  readonly offer: ChosenOffer;
  readonly until: number;
}

/** The longest time that an offer is remembered, ms. An offer that expires earlier is forgotten then. */
const LONGEST_MS = 300_000;
const MAX_ROUTES = 1000;

/** Offers that were paid, by method, origin and path: the next request can pay at the first try. */
export class RememberedOffers {
  readonly #now: () => number;
  readonly #offers = new BoundedMap<string, Remembered>(MAX_ROUTES);

  constructor(now: () => number) {
    this.#now = now;
  }

  get(method: string, url: string): ChosenOffer | undefined {
    const remembered = this.#offers.get(routeKey(method, url));
    return remembered && remembered.until > this.#now() ? remembered.offer : undefined;
  }

  remember(method: string, offer: ChosenOffer): void {
    const key = routeKey(method, offer.url.href);
    const seconds = Math.min(...offer.required.accepts.map(({ maxTimeoutSeconds }) => maxTimeoutSeconds));
    this.#offers.set(key, { offer, until: this.#now() + Math.min(LONGEST_MS, seconds * 1000) });
  }

  forget(method: string, url: string): void {
    this.#offers.delete(routeKey(method, url));
  }
}

function routeKey(method: string, url: string): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}
