import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** The payment does not hand the payer's account to another key. Throws X402Error `invalid_exact_avm_rekey`. */
export function checkRekey({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.rekeyTo === undefined) return;
  throw new X402Error('invalid_exact_avm_rekey', { message: 'the payment must not rekey the payer (rekey to, rekey)' });
}
