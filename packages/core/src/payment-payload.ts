import { messageParser } from './message-parser.ts';
import { paymentPayload } from './payment-payload-schema.ts';
import type { PaymentRequirements } from './payment-requirements.ts';
import type { ResourceInfo } from './resource-info.ts';

/** A payment as the client sends it (x402 v2 §5.2). Unknown members are preserved. */
export interface PaymentPayload {
  x402Version: number;
  resource?: ResourceInfo;
  /** The entry of `accepts` that the payment is for. */
  accepted: PaymentRequirements;
  /** The part that the scheme defines; for `exact` on Algorand `{paymentGroup, paymentIndex}`. */
  payload: Record<string, unknown>;
  extensions?: Record<string, unknown>;
}

/** @throws X402Error `invalid_payment_payload` */
export const parsePaymentPayload = messageParser<PaymentPayload>('invalid_payment_payload', paymentPayload);
