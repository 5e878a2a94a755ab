import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
  MCP_PAYMENT,
  MCP_RECEIPT,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
} from '@avm402/core/headers';
import { parsePaymentRequired } from '@avm402/core/payment-required';
import { parseSettleResponse, type SettleResponse } from '@avm402/core/settle-response';

/** A call of a tool. */
export type ToolCall = Pick<CallToolRequest['params'], 'name' | 'arguments' | '_meta'>;

/** The part of the SDK's `Client` that calls tools. */
export interface ToolHost {
  callTool(call: ToolCall, schema: undefined, options: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * A `fetch` that calls tools: the request's body is the call, its payment goes into `_meta`; an offer in the result is a 402,
 * and the receipt a header (x402 transports-v2/mcp). The response's body is the result.
 */
export function toolFetch(host: ToolHost): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { _meta, ...call } = (await request.json()) as ToolCall;
    const payment = request.headers.get(PAYMENT_SIGNATURE_HEADER);
    const meta = { ..._meta, ...(payment !== null && { [MCP_PAYMENT]: decodePaymentSignatureHeader(payment) }) };
    const result = (await host.callTool({ ...call, _meta: meta }, undefined, {
      signal: request.signal,
    })) as CallToolResult;
    return responseOf(result);
  };
}

function responseOf(result: CallToolResult): Response {
  const required = result.isError === true ? offerIn(result) : undefined;
  const receipt = receiptIn(result);
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (required !== undefined) headers.set(PAYMENT_REQUIRED_HEADER, required);
  if (receipt) headers.set(PAYMENT_RESPONSE_HEADER, encodePaymentResponseHeader(receipt));
  return new Response(JSON.stringify(result), { status: statusOf(result, required), headers });
}

function statusOf({ isError = false }: CallToolResult, required: string | undefined): number {
  if (required !== undefined) return 402;
  return isError ? 500 : 200;
}

/** The offer in a result: as an object or, if there is none, as text. */
function offerIn({ structuredContent, content }: CallToolResult): string | undefined {
  const [first] = content;
  return encodedOffer(() => structuredContent) ?? encodedOffer(() => first?.type === 'text' && JSON.parse(first.text));
}

/** The value of PAYMENT-REQUIRED; undefined if it is not an offer. */
function encodedOffer(read: () => unknown): string | undefined {
  try {
    return encodePaymentRequiredHeader(parsePaymentRequired(read()));
  } catch {
    return undefined;
  }
}

function receiptIn({ _meta }: CallToolResult): SettleResponse | undefined {
  try {
    return parseSettleResponse(_meta?.[MCP_RECEIPT]);
  } catch {
    return undefined;
  }
}
