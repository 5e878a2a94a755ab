import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { createPayingFetch } from '../payment/payer.ts';
import type { PayingFetchOptions } from '../payment/payer-options.ts';
import { type ToolCall, toolFetch, type ToolHost } from './tool-exchange.ts';

export type { ToolCall, ToolHost } from './tool-exchange.ts';

/** Calls a tool and pays what it costs. */
export type PayingCallTool = (call: ToolCall, options?: { readonly signal?: AbortSignal }) => Promise<CallToolResult>;

export type PayingCallToolOptions = PayingFetchOptions & {
  /** An https URL that stands for the MCP server in limits, journal and `onOffer`. */
  readonly server: string;
  /** The tools are called through the host. */
  readonly fetch?: never;
  readonly channels?: never;
};

/**
 * Makes a `callTool` for an MCP host. It pays for tools that have a price as {@link createPayingFetch} pays for
 * requests: within limits, and once for one call. After a lost answer it sends the same payment again.
 *
 * @example
 * ```ts
 * import { parseAccount } from '@avm402/client';
 * import { createPayingCallTool } from '@avm402/client/mcp';
 * import { Client } from '@modelcontextprotocol/sdk/client/index.js';
 *
 * const host = new Client({ name: 'my-agent', version: '1.0.0' });
 * const callTool = createPayingCallTool(host, {
 *   server: 'https://weather.example',
 *   account: parseAccount('… 25 words …'),
 *   networks: { 'algorand:*': { url: 'https://algod.example' } },
 *   spend: { perPayment: '$0.10', perDay: '$5' },
 * });
 * const { content } = await callTool({ name: 'forecast', arguments: { city: 'Zürich' } });
 * ```
 *
 * @throws X402Error as {@link createPayingFetch}; so does the function that it returns
 */
export function createPayingCallTool(host: ToolHost, options: PayingCallToolOptions): PayingCallTool {
  const { server, ...given } = options;
  const fetchPaid = createPayingFetch({ ...given, fetch: toolFetch(host) });
  return async (call, { signal } = {}) => {
    const url = new URL(encodeURIComponent(call.name), server.endsWith('/') ? server : `${server}/`);
    const response = await fetchPaid(url, {
      method: 'POST',
      body: JSON.stringify(call),
      headers: { 'Content-Type': 'application/json' },
      ...(signal && { signal }),
    });
    return (await response.json()) as CallToolResult;
  };
}
