import { parseArgs } from 'node:util';
import { isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { backupCommand } from './backup-command.ts';
import { attempt, checkConfig } from './check.ts';
import { type FacilitatorConfig, parseConfig } from './config.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { createLog } from '../log/log.ts';
import { settlementsCommand } from './settlements-command.ts';
import { startFacilitator } from './start-facilitator.ts';
import { version } from '../version.ts';

type Variables = ConfigFile['variables'];

const HELP = `Usage: avm402-facilitator [COMMAND]

Verifies and settles x402 payments on Algorand: POST /verify, POST /settle, GET /supported, GET /settlements/{txid},
GET /health, GET /ready. It is configured by environment variables, or by a file that sets them, and logs to standard
error.

Commands; without one it serves
  settlements             writes the ledger of the store as CSV, from the latest settlement to the first
    --receiver ADDRESS, --payer ADDRESS, --state STATE, --from TIME, --until TIME   only those; times as 2026-03-01
    --totals              sums of what was confirmed, by day, asset and what was moved into and out of channels
    --json                a JSON object a line instead
  backup FILE             copies the SQLite store to a new file, while a facilitator works on it

The chain
  ALGOD_URL               URL of an algod; several, with commas between them, for failover (required)
  ALGOD_TOKEN             its API token, or one for each (an empty place: none)
  AVM_NETWORK             CAIP-2 id that the algods must be of (default: that of the first one)

Sponsoring fees
  AVM_PRIVATE_KEY         key of the sponsor: base64 of 64 bytes (or AVM_MNEMONIC, 25 words); several, with commas
                          between them: the one with most left is offered, the first one funds and closes channels,
                          only the others settle the scheme upto
  SPONSOR_ADDRESS         the sponsor's address, if its account is rekeyed to that key; or one for each (an empty
                          place: the key's own)
  SPONSOR_PAY_TO          addresses of the sellers whose payments are sponsored, with commas between them
  SPONSOR_ASSETS          asset ids that they may be paid in (default: USDC)
  SPONSOR_MIN_AMOUNT      least amount sponsored, in atomic units (default 1000 of USDC, what the fee is worth;
                          development networks: 1; required for other assets)
  SPONSOR_PAY_TO_BUDGET   microAlgos a day for each of these sellers (default 20000000)
  SPONSOR_PAYER_BUDGET    microAlgos a day for each payer (default 2000000)
  SPONSOR_ADVANCE_BUDGET  microAlgos a day for each of these sellers, besides, for fees of channels and of charges below
                          SPONSOR_MIN_AMOUNT, and for everybody else's together (default 5000000)
  SPONSOR_PAYER_ADVANCE_BUDGET
                          microAlgos a day of these for each payer (default 200000)
  SPONSOR_TOTAL_BUDGET    microAlgos a day for all together (default: no limit but those of the others)
  SPONSOR_ANYONE          true: sponsor everybody else, too (default: true on development networks only)
  SPONSOR_ANYONE_BUDGET   microAlgos a day for everybody else (default 1000000)
  MAX_FEE_PER_PAYMENT     most microAlgos that one payment may cost (default 10000)
  On development networks a budget that is not set has no limit. Refused payments use up none.

Channels (of the sellers and assets above; the sponsor lends each 0.2 ALGO)
  CHANNEL_MIN_DEPOSIT     least deposit that opens one, in atomic units (required; development networks: 1)
  CHANNEL_MIN_ROUNDS      least rounds until it expires (default 30000; development networks: 1000)
  CHANNEL_MAX_ROUNDS      most rounds until it expires (default 216000, a week)
  CHANNELS_PER_PAYER      most open channels of one payer (default 3; development networks: any number)
  CHANNELS_PER_RECEIVER   most open channels to one receiver (default half of all; development networks: any number)
  CHANNELS_LENT           most microAlgos lent at a time (default 100000000; development networks: any amount)
  CHANNEL_HAND_OVER_AMOUNT
                          least claim that hands the 0.2 ALGO to a payer that can't receive (default 100 times
                          SPONSOR_MIN_AMOUNT, what they are worth)

Callers
  CALLERS_FILE            JSON file with the callers' keys, receivers and limits; verify and settle need a key then.
                          SIGHUP reads it again
  OPEN_LEDGER             true: without callers, whoever asks may read the ledger (for development; default false)
  LIMIT_PER_IP            requests a minute from one address without a key (default 6000; this machine: no limit)
  LIMIT_PER_PAYER         settlements of one payer that may begin in a minute (default: no limit)
  LIMIT_PER_RECEIVER      settlements to one receiver that may begin in a minute (default: no limit)
  MAX_IN_FLIGHT           requests that are worked on at a time (default 4000)
  TRUSTED_PROXIES         IP addresses or CIDR blocks whose X-Forwarded-For is believed
  CORS_ORIGINS            origins whose pages may ask from a browser

Discovery
  DISCOVERY               whose resources are listed at /discovery, if their offers declare it: listed (sellers named in
                          SPONSOR_PAY_TO, or by the key that settles), anyone, or off: nobody's, and no such route
                          (default listed; development networks: anyone)

Settlements
  SETTLEMENT_STORE        SQLite file, or :memory: (default avm402-settlements.sqlite)
  SETTLEMENT_STORE_SYNC   full: a commit survives a power failure, too (default normal)
  DATABASE_URL            PostgreSQL instead of a file, for several replicas
  SETTLE_TIMEOUT_MS       how long a settle call waits for the outcome (default 20000)
  RETENTION_DAYS          how long final settlements can be looked up (default 90)

The program
  HOST, PORT              where it listens (default 127.0.0.1, 4022; port 0: any)
  LOG_LEVEL               trace, debug, info, warn, error, fatal or silent (default info)
  DRAIN_TIMEOUT_MS        how long a shutdown waits for settle calls under way (default 10000)
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
                          URL of a collector that gets OpenTelemetry spans (default: none)
  OTEL_SDK_DISABLED       true: it gets none all the same

Options
  --config FILE           reads settings from a file with lines such as PORT=4022; what the environment says goes before
  --check                 examine configuration, algods, sponsor and store, name all that is wrong, and exit
  -h, --help              show this
  -v, --version           show the version`;

/** The program: reads the environment, runs until SIGTERM or SIGINT, exits 0; 1 if it can't start, 2 if called wrongly. */
async function main(): Promise<void> {
  const [command, ...parameters] = process.argv.slice(2);
  if (parameters.includes('--help') || parameters.includes('-h')) return console.log(HELP);
  const file = configFile();
  const variables = file?.variables ?? process.env;
  if (command === 'settlements') return settlementsCommand(parameters, variables);
  if (command === 'backup') return backupCommand(parameters, variables);
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      check: { type: 'boolean' },
      config: { type: 'string' },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.version) return console.log(version());
  if (values.check) return check(variables, file);
  const config = configured(variables, file);
  const log = createLog({ level: config.logLevel });
  const running = await startFacilitator(config, log);
  const stop = (signal: string): void => {
    log.info({ signal }, 'shutting down');
    void running.stop().then(() => process.exit(0), fail);
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  if (config.access?.callers === undefined) process.once('SIGHUP', stop);
  else process.on('SIGHUP', () => running.reloadCallers());
  // Last: whoever reads this line may stop the program at once.
  console.log(`avm402-facilitator listening on ${running.url}`);
}

/** The file of `--config`, which every command takes. */
function configFile(): ConfigFile | undefined {
  const options = { config: { type: 'string' } } as const;
  const { config } = parseArgs({ strict: false, allowPositionals: true, options }).values;
  if (typeof config !== 'string') return undefined;
  const file = readConfigFile(config, process.env);
  // OpenTelemetry's exporter reads its settings from there by itself.
  Object.assign(process.env, file.variables);
  return file;
}

/** @throws X402Error `environment_invalid` that names every fault, with its place */
function configured(variables: Variables, file: ConfigFile | undefined): FacilitatorConfig {
  const problems = [...(file?.problems ?? [])];
  const config = attempt(() => parseConfig(variables), problems);
  if (config !== undefined && problems.length === 0) return config;
  throw new X402Error('environment_invalid', { message: problems.map(file?.located ?? String).join('\n') });
}

/** Exits 0 if the program would serve with this configuration, 1 if not. */
async function check(variables: Variables, file: ConfigFile | undefined): Promise<void> {
  const { problems: faults, found } = await checkConfig(variables);
  const problems = [...(file?.problems ?? []), ...faults].map(file?.located ?? String);
  for (const line of found) console.log(`ok       ${line}`);
  for (const line of problems) console.error(`problem  ${line}`);
  // Connections that are kept open would keep the program.
  process.exit(problems.length === 0 ? 0 : 1);
}

function fail(error: unknown): never {
  console.error(`avm402-facilitator: ${explain(error)}`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (isX402Error(error, 'environment_invalid')) return `wrong environment\n${error.message}`;
  if (isX402Error(error)) return `${error.message}. ${error.remedy}`;
  if (isAlgorandError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}

try {
  await main();
} catch (error) {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`avm402-facilitator: ${error.message}; see --help`);
    process.exit(2);
  }
  fail(error);
}
