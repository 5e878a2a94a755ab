import { z } from 'zod';
import { messageParser, openObject, optional, x402Version } from './message-parser.ts';
import { paymentRequirements, type PaymentRequirements } from './payment-requirements.ts';
import { resourceInfo, type ResourceInfo } from './resource-info.ts';

/** The offer of a 402 (x402 v2 §5.1). Unknown members are preserved. */
export interface PaymentRequired {
  x402Version: number;
  /** Why the request was not served. */
  error?: string;
  resource: ResourceInfo;
  accepts: PaymentRequirements[];
  extensions?: Record<string, unknown>;
}

const paymentRequired = z.looseObject({
  x402Version,
  error: optional(z.string().max(4096)),
  resource: resourceInfo,
  accepts: z.array(paymentRequirements).max(64),
  extensions: optional(openObject),
});

/** Errors: `invalid_payment_required`. */
export const parsePaymentRequired: (input: unknown) => PaymentRequired = messageParser(
  'invalid_payment_required',
  paymentRequired,
);
