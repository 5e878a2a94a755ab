import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** Rounds from first to last valid (algod: MaxTxnLife). Several SDKs always sign the longest window. */
const MAX_WINDOW_ROUNDS = 1000n;

/** The window is one that the chain accepts at some time. Throws X402Error `invalid_exact_avm_window_too_long`, `_expired`. */
export function checkWindowLength({ transferTransaction: { firstValid, lastValid } }: ExactPayment): void {
  if (lastValid < firstValid) {
    throw new X402Error('invalid_exact_avm_expired', {
      message: `the payment is never valid: it ends with round ${lastValid}, before it begins with round ${firstValid}`,
    });
  }
  if (lastValid - firstValid > MAX_WINDOW_ROUNDS) {
    throw new X402Error('invalid_exact_avm_window_too_long', {
      message: `the payment is valid for ${lastValid - firstValid} rounds, at most ${MAX_WINDOW_ROUNDS} are allowed`,
    });
  }
}
