import type { PaymentTransaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** The note that stock clients give it: a time in ms (JavaScript) or ns (Python). */
const STOCK_NOTE = /^x402-fee-payer-\d{1,20}$/;
const MAX_STOCK_NOTE_BYTES = 35;

/**
 * The fee payer pays the fee and does nothing else: zero to itself, no close, no rekey, no lease, no note. A signed
 * payment of nothing with bytes of a stranger's choice is a proof to log in with; stock's note leaves no choice.
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
  if (transaction.note !== undefined && !isStockNote(transaction.note)) return 'have no note';
  return undefined;
}

function isStockNote(note: Uint8Array): boolean {
  return note.length <= MAX_STOCK_NOTE_BYTES && STOCK_NOTE.test(String.fromCharCode(...note));
}
