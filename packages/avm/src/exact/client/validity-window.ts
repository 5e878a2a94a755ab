/** The protocol's longest window (MaxTxnLife), in rounds; for networks where rounds say nothing about time. */
export const LONGEST_WINDOW = 1000;
/** Seconds a round takes on the public networks; shorter than the real one, so that the window is not too short. */
const ROUND_SECONDS = 2.8;
/** Rounds between the parameters' round and the settlement. */
const SPARE_ROUNDS = 10;

/** Rounds in which the seller's `maxTimeoutSeconds` pass on a public network, and little more. */
export function windowRounds(maxTimeoutSeconds: number): bigint {
  return BigInt(Math.min(LONGEST_WINDOW, Math.ceil(maxTimeoutSeconds / ROUND_SECONDS) + SPARE_ROUNDS));
}
