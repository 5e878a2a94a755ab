import type { ChannelView, Payer } from '@avm402/client';
import { amountAsText } from '@avm402/client/diagnosis';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod/mini';
import { answering, data, READS } from './results.ts';

const CHANNEL = z.object({
  id: z.string(),
  state: z.string(),
  url: z.optional(z.string()),
  deposited: z.string(),
  charged: z.string(),
  left: z.string(),
  untilRound: z.string(),
});

/** Gives an MCP server the tools `channels` and `close_channel`. */
export function registerChannelTools(server: McpServer, channels: NonNullable<Payer['channels']>): void {
  server.registerTool(
    'channels',
    { description: CHANNELS, annotations: READS, outputSchema: { channels: z.array(CHANNEL) } },
    answering(async () => data({ channels: (await channels.list()).map(shownChannel) })),
  );
  server.registerTool(
    'close_channel',
    {
      description: CLOSE,
      inputSchema: { id: z.string().check(z.describe('of the tool channels')) },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      outputSchema: { id: z.string(), state: z.string() },
    },
    answering(async ({ id }: { readonly id: string }) => data({ id, state: (await channels.close(id)).state })),
  );
}

const CHANNELS = 'Lists open channels: a deposit with one seller that pays for many requests, and what is left of it.';
const CLOSE = 'Closes a channel that is no longer needed: the seller gets what was charged, and the rest comes back.';

function shownChannel(channel: ChannelView): Record<string, unknown> {
  const { id, network, state, url, deposited, charged, config } = channel;
  const words = (amount: bigint): string => amountAsText({ network, asset: config.token.toString(), amount });
  return {
    id,
    state,
    url,
    deposited: words(deposited),
    charged: words(charged),
    left: words(deposited - charged),
    untilRound: config.expiry,
  };
}
