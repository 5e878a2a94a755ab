import { messageParser } from './message-parser.ts';
import type { Network } from './network.ts';
import { paymentRequirements } from './payment-requirements-schema.ts';

/** One way to pay (x402 v2 §5.1.2). Unknown members are preserved. */
export interface PaymentRequirements {
  scheme: string;
  network: Network;
  asset: string;
  /** Atomic units of the asset, in decimal digits; amounts on other chains may exceed 64 bits. */
  amount: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

/** @throws X402Error `invalid_payment_requirements` */
export const parsePaymentRequirements = messageParser<PaymentRequirements>(
  'invalid_payment_requirements',
  paymentRequirements,
);
