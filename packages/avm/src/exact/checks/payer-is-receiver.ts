import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** Paying oneself costs nothing and proves nothing. Throws X402Error `invalid_exact_avm_payer_is_receiver`. */
export function checkPayerIsNotReceiver({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.sender !== transferTransaction.receiver) return;
  throw new X402Error('invalid_exact_avm_payer_is_receiver', { message: 'payer and receiver are one account' });
}
