import { createHash } from 'node:crypto';
import { X402Error } from '@avm402/core/errors';
import { paymentIdOf } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@x402/core/types';
import type { Exchange } from './exchange.ts';

/**
 * The buyer's payment id, hashed because it is the buyer's secret.
 * @throws X402Error `invalid_payment_identifier`, `payment_id_required`
 */
export function hashedPaymentId({ isPaymentIdRequired }: Exchange['offers'], sent: PaymentPayload): string | undefined {
  const paymentId = paymentIdOf(sent);
  if (paymentId !== undefined) return createHash('sha256').update(paymentId).digest('hex');
  if (isPaymentIdRequired) throw new X402Error('payment_id_required');
  return undefined;
}
