/** The most that a block's timestamp may be after the one before, in seconds. */
const MAX_STEP = 25n;

export interface TimestampClock {
  /** Seconds between blocks; undefined: the wall clock counts. */
  readonly offset: bigint | undefined;
  /** Seconds since 1970. */
  readonly now: bigint;
  /** The next block's timestamp, where a developer has set the time. */
  readonly next?: bigint | undefined;
}

/** The timestamp of the block after one with `previous`. A chain without a genesis timestamp begins with the wall clock. */
export function nextTimestamp(previous: bigint, { offset, now, next }: TimestampClock): bigint {
  if (next !== undefined) return next;
  // algod's sum of signed 64-bit numbers, which wraps around.
  if (offset !== undefined) return BigInt.asIntN(64, previous + offset);
  if (previous <= 0n) return now;
  if (now < previous) return previous;
  return now > previous + MAX_STEP ? previous + MAX_STEP : now;
}
