import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  MCP_RECEIPT,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
} from '@avm402/core/headers';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Reply } from '../../response/reply.ts';

/** A result with the receipt of its payment, given as the value of PAYMENT-RESPONSE. */
export function withReceipt(result: CallToolResult, receipt: string | undefined): CallToolResult {
  if (receipt === undefined) return result;
  return { ...result, _meta: { ...result._meta, [MCP_RECEIPT]: decodePaymentResponseHeader(receipt) } };
}

/** A reply of the seller as a tool's result: with offers if payment is required, else with the reason alone. */
export function resultOfReply({ headers, body }: Reply): CallToolResult {
  const required = headers[PAYMENT_REQUIRED_HEADER];
  return withReceipt(
    required === undefined
      ? errorResult(typeof body === 'string' ? body : Buffer.from(body).toString())
      : paymentRequiredResult(required),
    headers[PAYMENT_RESPONSE_HEADER],
  );
}

/** A result that says what went wrong. */
export function errorResult(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function paymentRequiredResult(header: string): CallToolResult {
  const structuredContent = { ...decodePaymentRequiredHeader(header) };
  return { ...errorResult(JSON.stringify(structuredContent)), structuredContent };
}

/** Takes the outcome of a tool. */
export interface ResultSink {
  take(result: CallToolResult): void;
  failed(error: unknown): void;
}
