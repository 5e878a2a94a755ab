import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  MCP_RECEIPT,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
} from '@avm402/core/headers';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** The status of a result that says what went wrong, which is not charged. No reply of the seller has it. */
const TOOL_FAILED = 422;

/** A tool's result as the response of a handler. */
export function responseOf(result: CallToolResult): Response {
  return Response.json(result, { status: result.isError === true ? TOOL_FAILED : 200 });
}

/**
 * What the caller gets: the tool's result, the offers if payment is required, or else the reason alone; with the receipt.
 * Rejects once the caller has left, because nothing ends a body that nobody takes.
 */
export async function resultOf(response: Response, signal: AbortSignal): Promise<CallToolResult> {
  const { headers, ok, status } = response;
  const text = await Promise.race([response.text(), leaving(signal)]);
  const required = headers.get(PAYMENT_REQUIRED_HEADER);
  const receipt = headers.get(PAYMENT_RESPONSE_HEADER);
  // A paid answer is `private`, a reply of the seller never, such as that about a closed channel.
  const isPaid = ok && /^private\b/.test(headers.get('cache-control') ?? '');
  if (isPaid || status === TOOL_FAILED) return withReceipt(JSON.parse(text), receipt);
  if (required !== null) return withReceipt(paymentRequiredResult(required), receipt);
  const whyEmpty = receipt === null ? 'the call was given up' : 'the tool failed; call it again with the same payment';
  return withReceipt(errorResult(text || whyEmpty), receipt);
}

function leaving(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

/** A result with the receipt of its payment, given as the value of PAYMENT-RESPONSE. */
function withReceipt(result: CallToolResult, receipt: string | null): CallToolResult {
  if (receipt === null) return result;
  return { ...result, _meta: { ...result._meta, [MCP_RECEIPT]: decodePaymentResponseHeader(receipt) } };
}

function errorResult(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function paymentRequiredResult(header: string): CallToolResult {
  const structuredContent = { ...decodePaymentRequiredHeader(header) };
  return { ...errorResult(JSON.stringify(structuredContent)), structuredContent };
}
