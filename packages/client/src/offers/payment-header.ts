import { encodePaymentSignatureHeader } from '@avm402/core/headers';
import { createPaymentId, paymentIdentifierOffered, withPaymentId } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { type PaymentRequired, X402_VERSION } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';

/** The payment of an offer, with the part that its scheme made. */
export function paymentOf(
  { resource, extensions }: PaymentRequired,
  accepted: PaymentRequirements,
  payload: PaymentPayload['payload'],
): PaymentPayload {
  return { x402Version: X402_VERSION, resource, accepted, payload, ...(extensions && { extensions }) };
}

/**
 * The value of PAYMENT-SIGNATURE, with a new random payment id if the seller accepts one. The id collects a response
 * that the server kept.
 */
export function paymentHeader(
  payment: PaymentPayload,
  { extensions }: PaymentRequired,
  random: (bytes: number) => Uint8Array,
): string {
  if (paymentIdentifierOffered(extensions) === 'no') return encodePaymentSignatureHeader(payment);
  const identified = withPaymentId(payment.extensions ?? extensions, createPaymentId(random));
  return encodePaymentSignatureHeader({ ...payment, extensions: identified });
}
