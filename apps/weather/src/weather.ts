import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { ExactAvmServer, parsePayTo } from '@avm402/avm/exact/server';
import { UptoAvmServer } from '@avm402/avm/upto/server';
import { payingPage } from '@avm402/paying-page';
import {
  type ChannelStore,
  createMemoryChannelStore,
  createSeller,
  HTTPFacilitatorClient,
  type Network,
} from '@avm402/server';
import { x402ResourceServer } from '@x402/express';
import { weatherShop } from './shop.ts';

const HELP = `Usage: weather

Paid with USDC on Algorand through x402:
  GET /weather          the weather now, for a cent
  GET /nowcast          the weather of the next minutes, for a cent; answered before the payment is in a block
  GET /forecast?days=7  the weather of 1 to 14 days, by the word; by the scheme exact for a cent

Environment
  AVM_ADDRESS       the Algorand address that is paid; it must have opted in to USDC (required)
  FACILITATOR_URL   the facilitator that verifies and settles, e.g. http://127.0.0.1:4022 (required)
  AVM_NETWORK       CAIP-2 id of the network; unset: the one Algorand network that the facilitator serves
  CHANNEL_STORE     SQLite file that remembers channels; unset: memory, and channels are closed when the program ends
  HOST, PORT        where it listens (default 127.0.0.1, 4021; port 0: any)
  OTEL_EXPORTER_OTLP_ENDPOINT  where OpenTelemetry’s spans of payments are sent, e.g. a console; unset: nowhere (needs Node 22.15)
  TRACE_DETAILS     true: spans also show messages and checks, without secrets

Options
  -h, --help        show this`;

/** How long requests under way may take when the program is stopped: longer than a settlement takes. */
const DRAIN_MS = 20_000;
/** Exit code for wrong usage. */
const WRONG_CALL = 2;

interface Config {
  readonly payTo: string;
  readonly facilitatorUrl: string;
  readonly network: Network | undefined;
  /** Path of a SQLite file. */
  readonly channelStore: string | undefined;
  readonly isTraced: boolean;
  readonly traceDetails: boolean;
  readonly host: string;
  readonly port: number;
}

/** Reads the environment. Throws an Error that names everything that is missing or malformed, at once. */
function readEnvironment(environment: NodeJS.ProcessEnv): Config {
  const value = (name: string): string => environment[name]?.trim() ?? '';
  const problems: string[] = [];
  const read = <T extends string>(name: string, isRight: (text: string) => text is T, what: string): T | undefined => {
    const text = value(name);
    if (text !== '' && isRight(text)) return text;
    problems.push(text === '' ? `${name} is missing: ${what}` : `${name} must be ${what}`);
    return undefined;
  };
  const payTo = read(
    'AVM_ADDRESS',
    isAddress,
    'the Algorand address that is paid, 58 characters with a valid checksum',
  );
  const facilitatorUrl = read('FACILITATOR_URL', isHttpUrl, 'the http or https URL of a facilitator');
  const port = value('PORT') === '' ? '4021' : read('PORT', isPort, 'a port number, 0 to 65535');
  const network = value('AVM_NETWORK') === '' ? undefined : read('AVM_NETWORK', isNetwork, 'algorand:<genesis hash>');
  if (payTo === undefined || facilitatorUrl === undefined || problems.length > 0) {
    throw new Error(`${problems.join('\n  ')}\n  see --help`);
  }
  return {
    payTo,
    facilitatorUrl,
    network,
    channelStore: value('CHANNEL_STORE') || undefined,
    isTraced: value('OTEL_EXPORTER_OTLP_ENDPOINT') !== '',
    traceDetails: value('TRACE_DETAILS') === 'true',
    host: value('HOST') || '127.0.0.1',
    port: Number(port),
  };
}

function isPort(text: string): text is string {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function isNetwork(text: string): text is Network {
  return /^algorand:\S{32,44}$/.test(text);
}

function isAddress(text: string): text is string {
  try {
    parsePayTo(text);
    return true;
  } catch {
    return false;
  }
}

function isHttpUrl(text: string): text is string {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

/** A stock resource server with all schemes. */
function resourceServer({ facilitatorUrl }: Config): x402ResourceServer {
  return new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl }))
    .register('algorand:*', new ExactAvmServer())
    .register('algorand:*', new BatchSettlementAvmServer())
    .register('algorand:*', new UptoAvmServer());
}

async function openChannelStore({ channelStore: path }: Config): Promise<ChannelStore> {
  if (path === undefined) return createMemoryChannelStore();
  // Imported only when needed: it requires Node 24.
  const { createSqliteChannelStore } = await import('@avm402/server/sqlite');
  return createSqliteChannelStore({ path });
}

/** Runs until SIGINT or SIGTERM; requests under way are answered first. */
async function main(): Promise<void> {
  const config = readEnvironment(process.env);
  // Imported only when needed: it requires a newer Node than the rest.
  const tracing = config.isTraced ? (await import('./tracing.ts')).startTracing() : undefined;
  const seller = createSeller({
    server: resourceServer(config),
    channels: { store: await openChannelStore(config) },
    page: payingPage(),
    atRisk: {},
    ...(tracing && { tracer: tracing.tracer, traceDetails: config.traceDetails }),
  });
  const { payTo, network } = config;
  const app = await weatherShop(seller, { payTo, network });
  const server = app.listen(config.port, config.host);
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    const drained = once(server, 'close');
    server.close().closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await drained;
    // Claims on channels that only memory knows are made now or never.
    await seller.channels?.stop({ close: config.channelStore === undefined });
    // Spans that can't be sent any more are lost; that is no failure of the shop.
    await tracing?.stop().catch((error: unknown) => console.warn('weather: the last traces are lost:', error));
    process.exit(0);
  };
  process.once('SIGINT', () => void stop()).once('SIGTERM', () => void stop());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  // Printed last: a reader of this line may stop the program at once.
  console.log(`weather listening on http://${config.host}:${port}`);
}

/** Whether the call asks for help. Throws an Error if the arguments are wrong. */
function wantsHelp(): boolean {
  return parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help === true;
}

function exit(code: number, error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`weather: ${message}${code === WRONG_CALL ? '; see --help' : ''}`);
  process.exit(code);
}

let isHelpWanted = false;
try {
  isHelpWanted = wantsHelp();
} catch (error) {
  exit(WRONG_CALL, error);
}
if (isHelpWanted) console.log(HELP);
else await main().catch((error: unknown) => exit(1, error));
