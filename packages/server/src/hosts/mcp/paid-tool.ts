import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type CallContext, ToolCall, TOOLS } from './tool-call.ts';
import { responseOf, resultOf } from './tool-result.ts';
import type { Seller } from '../../seller.ts';
import { FetchResponder } from '../fetch/fetch-responder.ts';
import { servedRoutes } from '../routes-to-serve.ts';
import type { PricedRoute } from '../../routes/route-table.ts';

export type { CallContext } from './tool-call.ts';

/** The terms on which a tool is sold. */
export interface ToolTerms<Args> extends Pick<
  PricedRoute['config'],
  'accepts' | 'description' | 'mimeType' | 'extensions'
> {
  /** The tool's name, as it is registered. */
  readonly name: string;
  /** Whether a call is free. Default: no call is. If it throws, the tool does not run. */
  readonly isFree?: (args: Args, context: CallContext) => boolean | Promise<boolean>;
}

/** A tool's callback as the SDK calls it, for tools with arguments. */
export type ToolCallback<Args> = (args: Args, context: CallContext) => CallToolResult | Promise<CallToolResult>;

/**
 * Charges for the calls of an MCP tool: one payment for one result. A call without payment is answered with the offer.
 * A tool that fails or returns an error costs nothing, and a call that is repeated with its payment id gets the same
 * result. Listing tools and connecting are free. In `accepts`, functions of the request find the arguments in
 * `adapter.getBody()`.
 * @throws X402Error as `Seller.paid`
 * @example
 * ```ts
 * import { createSeller } from '@avm402/server';
 * import { paidTool } from '@avm402/server/mcp';
 * import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
 * import { z } from 'zod';
 *
 * const seller = createSeller({ facilitator: 'http://127.0.0.1:4022' });
 * const accepts = seller.price('$0.01', { payTo: process.env['AVM_ADDRESS'] });
 * const tools = new McpServer({ name: 'weather', version: '1.0.0' });
 * tools.registerTool(
 *   'forecast',
 *   { description: 'The weather of a city, for $0.01', inputSchema: { city: z.string() } },
 *   paidTool(seller, { name: 'forecast', accepts }, ({ city }: { city: string }) => ({
 *     content: [{ type: 'text', text: `${city}: sunny` }],
 *   })),
 * );
 * ```
 */
export function paidTool<Args>(seller: Seller, terms: ToolTerms<Args>, tool: ToolCallback<Args>): ToolCallback<Args> {
  const { name, isFree, ...route } = terms;
  const priced = servedRoutes(seller.priced({ resource: `${TOOLS}/${name}`, mimeType: 'application/json', ...route }));
  return async (args, context) => {
    if (await isFree?.(args, context)) return tool(args, context);
    const call = new ToolCall(name, args, context);
    const responder = new FetchResponder(call, { handler: async () => responseOf(await tool(args, context)) });
    priced.serve(call, responder);
    return resultOf(await responder.response, context.signal);
  };
}
