import { parseArgs } from 'node:util';
import { ConfigurationError, parseConfig } from './config.ts';
import { offeredNetworks } from './offered-networks.ts';
import { startWeather } from './server.ts';

const HELP = `Usage: weather

A weather report for a cent: GET /weather, paid with USDC on Algorand through x402.

Environment
  AVM_ADDRESS       the Algorand address that is paid; it must have opted in to USDC (required)
  FACILITATOR_URL   the facilitator that verifies and settles, e.g. http://127.0.0.1:4022 (required)
  AVM_NETWORK       CAIP-2 id of the network; unset: the one Algorand network that the facilitator serves
  HOST, PORT        where it listens (default 127.0.0.1, 4021; port 0: any)

Options
  -h, --help        show this`;

/** The program: runs until SIGINT or SIGTERM, exits 0; 1 if it can't start, 2 if it is called wrongly. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) return console.log(HELP);
  const config = parseConfig(process.env);
  const networks = await offeredNetworks(config);
  const weather = await startWeather(config, networks);
  const stop = (): void => void weather.stop().then(() => process.exit(0), fail);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // Last: whoever reads this line may stop the program at once.
  console.log(`weather listening on ${weather.url}`);
}

function fail(error: unknown): never {
  console.error(`weather: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

try {
  await main();
} catch (error) {
  const isWrongCall = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (isWrongCall) {
    console.error(`weather: ${error.message}; see --help`);
    process.exit(2);
  }
  if (error instanceof ConfigurationError) console.error('weather: see --help for what it needs');
  fail(error);
}
