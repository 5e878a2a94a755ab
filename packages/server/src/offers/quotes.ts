import type { Offer } from './offer.ts';

/** Of all requests; those of the request that was not asked for the longest go first. */
const MAX_QUOTES = 10_000;
/** Of one request: a price of every second for a quarter of an hour. */
const MAX_QUOTES_PER_REQUEST = 1_000;

interface Quote {
  readonly offers: readonly Offer[];
  readonly until: number;
}

/**
 * The offers that were answered where price or receiver depend on the request: each is honoured for the same request
 * until it expires, whatever the price function says by then.
 */
export class Quotes {
  readonly #now: () => number;
  /** By fingerprint of the request, then by terms; oldest first. */
  readonly #quotes = new Map<string, Map<string, Quote>>();
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  remember(fingerprint: string, offers: readonly Offer[]): void {
    const requirements = offers.map((offer) => offer.requirements);
    const terms = JSON.stringify(requirements);
    const seconds = Math.max(...requirements.map(({ maxTimeoutSeconds }) => maxTimeoutSeconds));
    const known = this.#quotes.get(fingerprint) ?? new Map<string, Quote>();
    this.#count -= known.size;
    this.#quotes.delete(fingerprint);
    this.#quotes.set(fingerprint, known);
    known.delete(terms);
    known.set(terms, { offers, until: this.#now() + seconds * 1000 });
    this.#dropOld(known);
    this.#count += known.size;
    this.#makeRoom();
  }

  /** Offers that still hold for a request. */
  honoured(fingerprint: string): readonly Offer[] {
    const known = Array.from(this.#quotes.get(fingerprint)?.values() ?? []);
    return known.filter(({ until }) => until > this.#now()).flatMap(({ offers }) => offers);
  }

  #dropOld(known: Map<string, Quote>): void {
    for (const [terms, { until }] of known) {
      if (until > this.#now() && known.size <= MAX_QUOTES_PER_REQUEST) return;
      known.delete(terms);
    }
  }

  #makeRoom(): void {
    for (const [fingerprint, { size }] of this.#quotes) {
      if (this.#count <= MAX_QUOTES) return;
      this.#quotes.delete(fingerprint);
      this.#count -= size;
    }
  }
}
