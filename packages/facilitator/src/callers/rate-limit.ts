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
/** Names that are remembered; beyond it those that have not been heard of longest are forgotten. */
const MAX_NAMES = 100_000;

/** So many times a minute for each name, all at once or spread (a token bucket). */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** @throws X402Error `too_many_requests`, with `retryAfter` in seconds among its details */
  take(name: string): void {
    const bucket = this.#bucketOf(name);
    refuseEmpty(bucket, this.#options.perMinute);
    bucket.tokens -= 1;
    this.#keep(name, bucket);
  }

  /**
   * As `take`, but takes nothing.
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
    return { tokens: Math.min(perMinute, known.tokens + gained), filledAt };
  }

  /** The map is in the order of the last use. */
  #keep(name: string, bucket: Bucket): void {
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_NAMES && oldest !== undefined) this.#buckets.delete(oldest);
  }
}

function refuseEmpty({ tokens }: Bucket, perMinute: number): void {
  if (tokens >= 1) return;
  const retryAfter = Math.ceil(((1 - tokens) * MINUTE_MS) / perMinute / 1000);
  const message = `more than ${perMinute} a minute; try again in ${retryAfter} seconds`;
  throw new X402Error('too_many_requests', { message, details: { retryAfter } });
}
