import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** Rounds that are left at verification, so that a handler of some seconds does not outlive the payment. */
const MIN_ROUNDS_LEFT = 3n;

/** The payment stays valid for some rounds after `lastRound`. Throws X402Error `invalid_exact_avm_window_too_short`. */
export function checkWindowLeft({ transferTransaction: { lastValid } }: ExactPayment, lastRound: bigint): void {
  if (lastValid - lastRound >= MIN_ROUNDS_LEFT) return;
  throw new X402Error('invalid_exact_avm_window_too_short', {
    message: `the payment has ${lastValid - lastRound} rounds left, at least ${MIN_ROUNDS_LEFT} are needed`,
  });
}
