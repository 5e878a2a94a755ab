import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { parsePaymentRequired, type PaymentRequired } from '@avm402/core/payment-required';
import { parseSettleResponse, type SettleResponse } from '@avm402/core/settle-response';
import { z } from 'zod';
import { createSeller, type PaymentEvent, type PaymentOptions } from '../../src/index.ts';
import { type CallContext, paidTool, type ToolTerms } from '../../src/hosts/mcp/paid-tool.ts';
import type { FacilitatorStub } from './facilitator-stub.ts';
import { afterwards, facilitator, listen, offer, resources } from './shop.ts';

export interface ForecastArguments {
  readonly city: string;
}

type Forecast = (args: ForecastArguments, context: CallContext) => CallToolResult | Promise<CallToolResult>;

export interface ToolShopOptions extends PaymentOptions {
  readonly terms?: Partial<ToolTerms<ForecastArguments>>;
  readonly forecast?: Forecast;
  /** How hosts connect. Default `memory`. */
  readonly transport?: 'memory' | 'http';
}

export interface ToolShop {
  readonly stub: FacilitatorStub;
  readonly events: PaymentEvent[];
  /** How often the tool ran. */
  readonly runs: () => number;
  /** Connects another host. */
  connect(): Promise<Client>;
}

/** An MCP server whose tool `forecast` costs a cent, and whose tool `cities` costs nothing. */
export async function openToolShop(options: ToolShopOptions = {}): Promise<ToolShop> {
  const { terms, forecast = sunny, transport = 'memory', ...given } = options;
  const stub = await facilitator();
  const events: PaymentEvent[] = [];
  const seller = createSeller({ server: resources(stub), onEvent: (event) => void events.push(event), ...given });
  let runs = 0;
  const tool = paidTool(
    seller,
    { name: 'forecast', accepts: offer, description: 'A forecast', ...terms },
    (args: ForecastArguments, context) => {
      runs++;
      return forecast(args, context);
    },
  );
  const server = (): McpServer => {
    const made = new McpServer({ name: 'weather', version: '1.0.0' });
    made.registerTool('forecast', { description: 'A forecast for $0.01', inputSchema: { city: z.string() } }, tool);
    made.registerTool('cities', { description: 'free' }, () => ({ content: [{ type: 'text', text: 'Zürich' }] }));
    return made;
  };
  const connect = transport === 'memory' ? () => connectInMemory(server()) : await overHttp(server);
  return { stub, events, runs: () => runs, connect };
}

const sunny: Forecast = ({ city }) => ({ content: [{ type: 'text', text: `${city}: sunny` }] });

async function connectInMemory(server: McpServer): Promise<Client> {
  const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
  await server.connect(ofServer);
  return connected(ofClient);
}

/** A server without sessions: each request has one of its own, as the SDK's examples do. */
async function overHttp(server: () => McpServer): Promise<() => Promise<Client>> {
  const url = await listen((request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    response.once('close', () => void transport.close());
    void server()
      .connect(transport)
      .then(() => transport.handleRequest(request, response));
  });
  return () => connected(new StreamableHTTPClientTransport(new URL(url)));
}

async function connected(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'host', version: '1.0.0' });
  await client.connect(transport);
  afterwards(() => client.close());
  return client;
}

/** What a host gets from a call. */
export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly required?: PaymentRequired;
  readonly receipt?: SettleResponse;
  readonly result: CallToolResult;
}

/** Calls the forecast, with whatever stands for a payment. */
export async function callForecast(
  host: Client,
  payment?: unknown,
  args: ForecastArguments = { city: 'Bern' },
  signal?: AbortSignal,
): Promise<Called> {
  const params = {
    name: 'forecast',
    arguments: { ...args },
    ...(payment !== undefined && { _meta: { 'x402/payment': payment } }),
  };
  const result = (await host.callTool(params, undefined, { ...(signal && { signal }) })) as CallToolResult;
  const [first] = result.content;
  const receipt = result._meta?.['x402/payment-response'];
  const { structuredContent } = result;
  return {
    isError: result.isError === true,
    text: first?.type === 'text' ? first.text : '',
    ...(structuredContent?.['accepts'] !== undefined && { required: parsePaymentRequired(structuredContent) }),
    ...(receipt !== undefined && { receipt: parseSettleResponse(receipt) }),
    result,
  };
}

/** The offer of the forecast. */
export async function forecastOffer(host: Client, args?: ForecastArguments): Promise<PaymentRequired> {
  const { required } = await callForecast(host, undefined, args);
  if (required === undefined) throw new Error('nothing is offered');
  return required;
}
