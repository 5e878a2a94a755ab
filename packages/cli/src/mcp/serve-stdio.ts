import type { Readable } from 'node:stream';
import type { ChosenOffer, Payer } from '@avm402/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Terminal } from '../command/terminal.ts';
import { GRACE_MS } from '../options/payer-world.ts';
import { version } from '../version.ts';
import { type AccountTools, registerAccountTools } from './account-tools.ts';
import { CallCeiling } from './call-ceiling.ts';
import { registerChannelTools } from './channel-tools.ts';
import { confirm, type ConfirmationLimit } from './confirmation.ts';
import { registerPayingTools } from './paying-tools.ts';

export interface ServeOptions extends Omit<AccountTools, 'payer'> {
  /** The text that tells the model the limits. */
  readonly instructions: string;
  readonly confirmAbove: ConfirmationLimit;
  /** Makes a payer that asks `onOffer` whether to accept an offer. */
  readonly payerThatAsks: (onOffer: (offer: ChosenOffer) => Promise<boolean>) => Payer;
  /** Looks once whether the account can pay an offer. */
  readonly requireFunds: (offer: ChosenOffer) => Promise<void>;
  readonly terminal: Pick<Terminal, 'streams' | 'interrupted'>;
}

/** Serves the paying tools over stdin and stdout, until the host hangs up or the program is interrupted. */
export async function serveStdio(options: ServeOptions): Promise<void> {
  const { instructions, confirmAbove, payerThatAsks, requireFunds, terminal, ...tools } = options;
  const server = new McpServer({ name: 'avm402', version: version() }, { instructions });
  const ceiling = new CallCeiling();
  const payer = payerThatAsks(async (offer) => {
    ceiling.check(offer);
    await requireFunds(offer);
    return confirm(offer, confirmAbove, server.server);
  });
  registerPayingTools(server, { payer, ceiling });
  registerAccountTools(server, { ...tools, payer });
  if (payer.channels) registerChannelTools(server, payer.channels);
  const [input, output] = terminal.streams();
  const ended = hungUp(input, terminal.interrupted());
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
  await payer.finish(GRACE_MS);
}

function hungUp(input: Readable, interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    input.once('end', resolve).once('close', resolve);
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
}
