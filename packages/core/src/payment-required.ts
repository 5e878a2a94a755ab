import * as z from 'zod/mini';
import { list, messageParser, openObject, optional, text, x402Version } from './message-parser.ts';
import { paymentRequirements } from './payment-requirements-schema.ts';
import type { PaymentRequirements } from './payment-requirements.ts';
import { resourceInfo } from './resource-info-schema.ts';
import type { ResourceInfo } from './resource-info.ts';

/** The version of the protocol that these packages speak. */
export const X402_VERSION = 2;

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
  error: optional(text(4096)),
  resource: resourceInfo,
  accepts: list(paymentRequirements, 64),
  extensions: optional(openObject),
});

/** @throws X402Error `invalid_payment_required` */
export const parsePaymentRequired = messageParser<PaymentRequired>('invalid_payment_required', paymentRequired);
