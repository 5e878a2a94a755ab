import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';
import type { NetworkMoment } from './network-params.ts';

/** Seconds per round on the public networks. It is below the real value, so that the window is not too short. */
const ROUND_SECONDS = 2.8;
/** Rounds between the parameters' round and the settlement. */
const SPARE_ROUNDS = 10;

/** Rounds that must be left at verification, so that a payment outlives a handler that takes some seconds. */
export const MIN_ROUNDS_LEFT = 3n;

/** The first and last round in which a group can be confirmed. */
export function validityWindow({ params, hasFastBlocks }: NetworkMoment, maxTimeoutSeconds: number) {
  const rounds = hasFastBlocks ? MAX_WINDOW_ROUNDS : windowRounds(maxTimeoutSeconds);
  return { firstValid: params.lastRound, lastValid: params.lastRound + rounds };
}

/** The rounds that pass in the seller's `maxTimeoutSeconds` on a public network, and few more. */
function windowRounds(maxTimeoutSeconds: number): bigint {
  return BigInt(Math.min(Number(MAX_WINDOW_ROUNDS), Math.ceil(maxTimeoutSeconds / ROUND_SECONDS) + SPARE_ROUNDS));
}
