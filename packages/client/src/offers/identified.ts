import { createPaymentId, paymentIdentifierOffered, withPaymentId } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';

/** Adds a new random payment id if the seller accepts one. The id collects a response that the server kept. */
export function identified(
  payload: PaymentPayload,
  { extensions }: PaymentRequired,
  random: (bytes: number) => Uint8Array,
): PaymentPayload {
  if (paymentIdentifierOffered(extensions) === 'no') return payload;
  return { ...payload, extensions: withPaymentId(payload.extensions ?? extensions, createPaymentId(random)) };
}
