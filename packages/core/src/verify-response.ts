import { messageParser } from './message-parser.ts';
import { verifyResponse } from './verify-response-schema.ts';

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

/** @throws X402Error `invalid_verify_response` */
export const parseVerifyResponse = messageParser<VerifyResponse>('invalid_verify_response', verifyResponse);
