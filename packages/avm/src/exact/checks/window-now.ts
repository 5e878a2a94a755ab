import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/**
 * The payment is valid in the block after `lastRound`.
 * Throws X402Error `invalid_exact_avm_expired`, `invalid_exact_avm_not_yet_valid`.
 */
export function checkWindowNow(
  { transferTransaction: { firstValid, lastValid } }: ExactPayment,
  lastRound: bigint,
): void {
  if (lastValid <= lastRound) {
    throw new X402Error('invalid_exact_avm_expired', {
      message: `the payment was valid until round ${lastValid}, the chain is at round ${lastRound}`,
    });
  }
  if (firstValid > lastRound + 1n) {
    throw new X402Error('invalid_exact_avm_not_yet_valid', {
      message: `the payment is valid from round ${firstValid}, the chain is at round ${lastRound}`,
    });
  }
}
