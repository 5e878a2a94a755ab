import { messageParser } from './message-parser.ts';
import type { Network } from './network.ts';
import { settleResponse } from './settle-response-schema.ts';

/**
 * A facilitator's settlement (x402 v2 §7.2). Failures have `transaction` and `network` too. Unknown members are
 * preserved.
 */
export interface SettleResponse {
  success: boolean;
  errorReason?: string;
  errorMessage?: string;
  payer?: string;
  /** Transaction id, or `""` when nothing was submitted: for a failure, a voucher or a charge of 0. */
  transaction: string;
  network: Network;
  amount?: string;
  extensions?: Record<string, unknown>;
  extensionResponses?: Record<string, unknown>;
  extra?: Record<string, unknown>;
}

/** @throws X402Error `invalid_settle_response` */
export const parseSettleResponse = messageParser<SettleResponse>('invalid_settle_response', settleResponse);
