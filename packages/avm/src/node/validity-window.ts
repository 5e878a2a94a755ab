import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';

/** Seconds a round takes on the public networks; shorter than the real one, so that the window is not too short. */
const ROUND_SECONDS = 2.8;
/** Rounds between the parameters' round and the settlement. */
const SPARE_ROUNDS = 10;

/** What a group's window is reckoned with. */
interface Moment {
  readonly params: { readonly lastRound: bigint };
  /** Whether blocks come with the payments, so that rounds say nothing about time. */
  readonly isHurried: boolean;
}

/** Rounds between which a group can be confirmed. */
export function validityWindow({ params, isHurried }: Moment, maxTimeoutSeconds: number) {
  const rounds = isHurried ? MAX_WINDOW_ROUNDS : windowRounds(maxTimeoutSeconds);
  return { firstValid: params.lastRound, lastValid: params.lastRound + rounds };
}

/** Rounds in which the seller's `maxTimeoutSeconds` pass on a public network, and little more. */
function windowRounds(maxTimeoutSeconds: number): bigint {
  return BigInt(Math.min(Number(MAX_WINDOW_ROUNDS), Math.ceil(maxTimeoutSeconds / ROUND_SECONDS) + SPARE_ROUNDS));
}
