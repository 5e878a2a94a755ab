/** The most seconds between a block's timestamp and the one before. */
const MAX_STEP = 25n;

export interface TimestampClock {
  /** Fixed seconds between blocks; undefined: blocks follow the wall clock. */
  readonly offset: bigint | undefined;
  /** Seconds since 1970. */
  readonly now: bigint;
  /** The next block's timestamp, if a developer has set the time. */
  readonly next?: bigint | undefined;
}

/** The timestamp after `previous`. A chain without a genesis timestamp begins with the wall clock. */
export function nextTimestamp(previous: bigint, { offset, now, next }: TimestampClock): bigint {
  if (next !== undefined) return next;
  // algod adds signed 64-bit numbers, and the sum wraps around.
  if (offset !== undefined) return BigInt.asIntN(64, previous + offset);
  if (previous <= 0n) return now;
  if (now < previous) return previous;
  return now > previous + MAX_STEP ? previous + MAX_STEP : now;
}
