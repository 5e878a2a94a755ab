import type { PaymentTransaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

const MAX_NOTE_BYTES = 64;

/**
 * The fee payer pays the fee and does nothing else: zero to itself, no close, no rekey, no lease, a short note.
 * Throws X402Error `invalid_exact_avm_invalid_fee_payer`, which names the rule that is broken.
 */
export function checkFeePayerFields({ feePayer }: ExactPayment): void {
  if (feePayer === undefined) return;
  const broken = brokenRule(feePayer.transaction);
  if (broken === undefined) return;
  throw new X402Error('invalid_exact_avm_invalid_fee_payer', {
    message: `the fee payer's transaction must ${broken}`,
  });
}

function brokenRule(transaction: PaymentTransaction): string | undefined {
  if (transaction.amount !== 0n) return 'move nothing (amount 0)';
  if (transaction.receiver !== transaction.sender) return 'go to the fee payer itself';
  if (transaction.closeRemainderTo !== undefined) return 'not close the account';
  if (transaction.rekeyTo !== undefined) return 'not rekey the account';
  if (transaction.lease !== undefined) return 'hold no lease';
  if (transaction.note !== undefined && transaction.note.length > MAX_NOTE_BYTES) {
    return `have a note of at most ${MAX_NOTE_BYTES} bytes`;
  }
  return undefined;
}
