/** Of a round on the public networks. Only to name times, never to decide anything. */
const ROUND_MS = 2_800;

/** The rounds of a time, ms, rounded up. */
export function roundsIn(ms: number): bigint {
  return BigInt(Math.ceil(ms / ROUND_MS));
}

/** The time of a round, as far as it can be known at the latest one. `now`: ms since 1970. */
export function timeOfRound(round: bigint, latest: bigint, now: number): Date {
  return new Date(now + Number(round - latest) * ROUND_MS);
}
