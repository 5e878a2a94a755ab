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
import * as z from 'zod/mini';
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

const required = (isRight: (text: string) => boolean, what: string) =>
  z.string(`is missing: ${what}`).check(z.refine(isRight, `must be ${what}`));

const environment = z.object({
  AVM_ADDRESS: required(isAddress, 'the Algorand address that is paid, 58 characters with a valid checksum'),
  FACILITATOR_URL: required(isHttpUrl, 'the http or https URL of a facilitator'),
  AVM_NETWORK: z.optional(z.custom<Network>(isNetwork, 'must be algorand:<genesis hash>')),
  CHANNEL_STORE: z.optional(z.string()),
  HOST: z._default(z.string(), '127.0.0.1'),
  PORT: z._default(z.string().check(z.refine(isPort, 'must be a port number, 0 to 65535')), '4021'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(z.string()),
  TRACE_DETAILS: z.optional(z.string()),
});

type Environment = z.infer<typeof environment>;

/** Reads the environment. Throws an Error that names everything that is missing or malformed, at once. */
function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const given = Object.entries(variables).map(([name, value]) => [name, value?.trim() || undefined]);
  const { data, error } = environment.safeParse(Object.fromEntries(given));
  if (data) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new Error(`${problems.join('\n  ')}\n  see --help`);
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function isNetwork(text: unknown): boolean {
  return /^algorand:\S{32,44}$/.test(String(text));
}

function isAddress(text: string): boolean {
  try {
    parsePayTo(text);
    return true;
  } catch {
    return false;
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

/** A stock resource server with all schemes. */
function resourceServer({ FACILITATOR_URL: url }: Environment): x402ResourceServer {
  return new x402ResourceServer(new HTTPFacilitatorClient({ url }))
    .register('algorand:*', new ExactAvmServer())
    .register('algorand:*', new BatchSettlementAvmServer())
    .register('algorand:*', new UptoAvmServer());
}

async function openChannelStore({ CHANNEL_STORE: path }: Environment): Promise<ChannelStore> {
  if (path === undefined) return createMemoryChannelStore();
  // Imported only when needed: it requires Node 24.
  const { createSqliteChannelStore } = await import('@avm402/server/sqlite');
  return createSqliteChannelStore({ path });
}

/** Runs until SIGINT or SIGTERM; requests under way are answered first. */
async function main(): Promise<void> {
  const given = readEnvironment(process.env);
  const { AVM_ADDRESS: payTo, AVM_NETWORK: network, OTEL_EXPORTER_OTLP_ENDPOINT: spansTo } = given;
  // Imported only when needed: it requires a newer Node than the rest.
  const tracing = spansTo ? (await import('./tracing.ts')).startTracing() : undefined;
  const seller = createSeller({
    server: resourceServer(given),
    channels: { store: await openChannelStore(given) },
    page: payingPage(),
    atRisk: {},
    ...(tracing && { tracer: tracing.tracer, traceDetails: given.TRACE_DETAILS === 'true' }),
  });
  const app = await weatherShop(seller, { payTo, network });
  const server = app.listen(Number(given.PORT), given.HOST);
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    const drained = once(server, 'close');
    server.close().closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await drained;
    // Claims on channels that only memory knows are made now or never.
    await seller.channels?.stop({ close: given.CHANNEL_STORE === undefined });
    // Spans that can't be sent any more are lost; that is no failure of the shop.
    await tracing?.stop().catch((error: unknown) => console.warn('weather: the last traces are lost:', error));
    process.exit(0);
  };
  process.once('SIGINT', () => void stop()).once('SIGTERM', () => void stop());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : given.PORT;
  const host = given.HOST.includes(':') ? `[${given.HOST}]` : given.HOST;
  // Printed last: a reader of this line may stop the program at once.
  console.log(`weather listening on http://${host}:${port}`);
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
