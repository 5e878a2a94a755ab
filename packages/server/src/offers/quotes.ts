import type { Offer } from './offer.ts';

/** Of all requests. The quotes of the request that was not asked for the longest are dropped first. */
const MAX_QUOTES = 10_000;
/** Of one request: a new price every second for a quarter of an hour. */
const MAX_QUOTES_PER_REQUEST = 1_000;

interface Quote {
  readonly offers: readonly Offer[];
  readonly until: number;
}

/**
 * The offers that were sent where price or receiver depend on the request. Each is honoured for the same request until
 * it expires, whatever the price function returns by then. A changed receiver ends it.
 */
export class Quotes {
  /** Milliseconds of a clock that nobody sets: an old price must not come back with the time. */
  readonly #monotonicNow: () => number;
  /** Keyed by what a quote is bound to, then by terms; oldest first. */
  readonly #quotes = new Map<string, Map<string, Quote>>();
  #count = 0;

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow;
  }

  remember(key: string, offers: readonly Offer[]): void {
    const requirements = offers.map((offer) => offer.requirements);
    const terms = JSON.stringify(requirements);
    const seconds = Math.max(...requirements.map(({ maxTimeoutSeconds }) => maxTimeoutSeconds));
    const known = this.#quotes.get(key) ?? new Map<string, Quote>();
    this.#count -= known.size;
    this.#quotes.delete(key);
    this.#quotes.set(key, known);
    known.delete(terms);
    known.set(terms, { offers, until: this.#monotonicNow() + seconds * 1000 });
    this.#dropOld(known);
    this.#count += known.size;
    this.#makeRoom();
  }

  /**
   * Earlier offers that still hold besides the `current` ones, which are the same offers, in order, with today's terms.
   */
  honoured(key: string, current: readonly Offer[]): readonly Offer[] {
    const known = Array.from(this.#quotes.get(key)?.values() ?? []);
    return known
      .filter(({ until }) => until > this.#monotonicNow())
      .flatMap(({ offers }) => offers.filter((offer, index) => isSameReceiver(offer, current[index])));
  }

  #dropOld(known: Map<string, Quote>): void {
    for (const [terms, { until }] of known) {
      if (until > this.#monotonicNow() && known.size <= MAX_QUOTES_PER_REQUEST) return;
      known.delete(terms);
    }
  }

  #makeRoom(): void {
    for (const [key, { size }] of this.#quotes) {
      if (this.#count <= MAX_QUOTES) return;
      this.#quotes.delete(key);
      this.#count -= size;
    }
  }
}

function isSameReceiver({ requirements }: Offer, current: Offer | undefined): boolean {
  return requirements.payTo === current?.requirements.payTo;
}
