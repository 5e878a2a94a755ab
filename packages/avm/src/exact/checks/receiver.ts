import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { ExactPayment } from './group-shape.ts';

/** The seller receives the payment. Throws X402Error `invalid_exact_avm_receiver_mismatch`. */
export function checkReceiver({ transferTransaction }: ExactPayment, { payTo }: PaymentRequirements): void {
  if (transferTransaction.receiver === payTo) return;
  throw new X402Error('invalid_exact_avm_receiver_mismatch', {
    message: `${payTo} is to be paid, ${transferTransaction.receiver} is`,
  });
}
