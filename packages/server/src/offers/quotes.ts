import type { Offer } from './offer.ts';

const MAX_QUOTES = 10_000;
/** For one request: a price that changes faster than that is not quoted reliably. */
const MAX_QUOTES_PER_REQUEST = 16;

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
  /** By fingerprint of the request; oldest first. */
  readonly #quotes = new Map<string, Quote[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  remember(fingerprint: string, offers: readonly Offer[]): void {
    const seconds = Math.max(...offers.map(({ requirements }) => requirements.maxTimeoutSeconds));
    const quote = { offers, until: this.#now() + seconds * 1000 };
    const valid = this.#valid(fingerprint).filter((other) => !sameTerms(other.offers, offers));
    this.#quotes.delete(fingerprint);
    this.#quotes.set(fingerprint, [...valid, quote].slice(-MAX_QUOTES_PER_REQUEST));
    for (const oldest of this.#quotes.keys()) {
      if (this.#quotes.size <= MAX_QUOTES) return;
      this.#quotes.delete(oldest);
    }
  }

  /** Offers that still hold for a request. */
  honoured(fingerprint: string): readonly Offer[] {
    return this.#valid(fingerprint).flatMap(({ offers }) => offers);
  }

  #valid(fingerprint: string): Quote[] {
    return (this.#quotes.get(fingerprint) ?? []).filter(({ until }) => until > this.#now());
  }
}

function sameTerms(one: readonly Offer[], other: readonly Offer[]): boolean {
  return (
    JSON.stringify(one.map(({ requirements }) => requirements)) ===
    JSON.stringify(other.map(({ requirements }) => requirements))
  );
}
