import { paymentPayload } from './payment-payload-schema.ts';
import { paymentRequirements } from './payment-requirements-schema.ts';
import { settleResponse } from './settle-response-schema.ts';
import { supportedResponse } from './supported-response-schema.ts';
import { verifyResponse } from './verify-response-schema.ts';

/** zod schemas of a facilitator's messages as the parsers read them, for generated API documents. */
export const messageSchemas = {
  PaymentRequirements: paymentRequirements,
  PaymentPayload: paymentPayload,
  VerifyResponse: verifyResponse,
  SettleResponse: settleResponse,
  SupportedResponse: supportedResponse,
} as const;
