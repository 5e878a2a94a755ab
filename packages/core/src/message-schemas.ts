import { paymentPayload } from './payment-payload-schema.ts';
import { paymentRequirements } from './payment-requirements-schema.ts';
import { settleResponse } from './settle-response-schema.ts';
import { supportedResponse } from './supported-response-schema.ts';
import { verifyResponse } from './verify-response-schema.ts';

/** The messages of a facilitator as the parsers read them: zod schemas, for documents that describe them. */
export const messageSchemas = {
  PaymentRequirements: paymentRequirements,
  PaymentPayload: paymentPayload,
  VerifyResponse: verifyResponse,
  SettleResponse: settleResponse,
  SupportedResponse: supportedResponse,
} as const;
