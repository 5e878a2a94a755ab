import * as z from 'zod/mini';
import { messageParser, openObject, optional, text } from './message-parser.ts';

/** A facilitator's verdict (x402 v2 §7.1). Unknown members are preserved. */
export interface VerifyResponse {
  isValid: boolean;
  invalidReason?: string;
  invalidMessage?: string;
  payer?: string;
  extensions?: Record<string, unknown>;
  extensionResponses?: Record<string, unknown>;
  extra?: Record<string, unknown>;
}

const verifyResponse = z.looseObject({
  isValid: z.boolean(),
  invalidReason: optional(text(1024)),
  invalidMessage: optional(text(8192)),
  payer: optional(text(256)),
  extensions: optional(openObject),
  extensionResponses: optional(openObject),
  extra: optional(openObject),
});

/** Errors: `invalid_verify_response`. */
export const parseVerifyResponse = messageParser<VerifyResponse>('invalid_verify_response', verifyResponse);
