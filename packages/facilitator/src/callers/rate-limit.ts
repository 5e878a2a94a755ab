import { BoundedMap } from '@avm402/core/bounded-map';
import { X402Error } from '@avm402/core/errors';

export interface RateLimitOptions {
  readonly perMinute: number;
  /** Milliseconds. */
  readonly now: () => number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

const MINUTE_MS = 60_000;
/** Most names that are remembered; beyond that, the names not used for longest are forgotten. */
const MAX_NAMES = 100_000;

/** Allows each name a number of requests a minute, all at once or spread out (a token bucket). */
export class RateLimit {
  readonly #options: RateLimitOptions;
  /** Ordered by last use. */
  readonly #buckets = new BoundedMap<string, Bucket>(MAX_NAMES);

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** @throws X402Error `too_many_requests`; its details have `retryAfter`, in seconds */
  take(name: string): void {
    const bucket = this.#bucketOf(name);
    refuseEmpty(bucket, this.#options.perMinute);
    bucket.tokens -= 1;
    this.#buckets.set(name, bucket);
  }

  /**
   * Like `take`, but takes nothing.
   * @throws X402Error `too_many_requests`
   */
  check(name: string): void {
    refuseEmpty(this.#bucketOf(name), this.#options.perMinute);
  }

  #bucketOf(name: string): Bucket {
    const { perMinute, now } = this.#options;
    const filledAt = now();
    const known = this.#buckets.get(name);
    if (known === undefined) return { tokens: perMinute, filledAt };
    const gained = (Math.max(0, filledAt - known.filledAt) * perMinute) / MINUTE_MS;
    known.tokens = Math.min(perMinute, known.tokens + gained);
    // Also for whoever is refused: after the clock was set back, their time counts from now.
    known.filledAt = filledAt;
    return known;
  }
}

function refuseEmpty({ tokens }: Bucket, perMinute: number): void {
  if (tokens >= 1) return;
  const retryAfter = Math.ceil(((1 - tokens) * MINUTE_MS) / perMinute / 1000);
  const message = `more than ${perMinute} a minute; try again in ${retryAfter} seconds`;
  throw new X402Error('too_many_requests', { message, details: { retryAfter } });
}
