import { isDevelopmentGenesisId } from '@avm402/algorand/networks';

/** The protocol's longest window (MaxTxnLife). */
const LONGEST_ROUNDS = 1000;
/** Seconds a round takes on the public networks; shorter than the real one, so that the window is not too short. */
const ROUND_SECONDS = 2.8;
/** Rounds between the parameters' round and the settlement. */
const SPARE_ROUNDS = 10;

/**
 * Rounds for which a payment is valid. Development networks make a block per transaction, so rounds there say
 * nothing about time; elsewhere the window covers the seller's `maxTimeoutSeconds` and little more.
 */
export function windowRounds(genesisId: string, maxTimeoutSeconds: number): bigint {
  if (isDevelopmentGenesisId(genesisId)) return BigInt(LONGEST_ROUNDS);
  return BigInt(Math.min(LONGEST_ROUNDS, Math.ceil(maxTimeoutSeconds / ROUND_SECONDS) + SPARE_ROUNDS));
}
