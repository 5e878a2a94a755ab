import { parseArgs, type ParseArgsConfig } from 'node:util';
import { parseDuration } from './duration.ts';
import { DevnodeError } from './errors.ts';
import type { DevnodeOptions } from './start-devnode.ts';

// Not imported: importing node:fs reads all its exports, which also loads its streams and promises.
const { readFileSync } = process.getBuiltinModule('node:fs');

/** The ports that AlgoKit LocalNet uses. */
const DEFAULT_COMPANION_PORTS = { 'kmd-port': '4002', 'indexer-port': '8980' };

interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** The placeholder for its value in the help. */
  readonly value?: string;
  readonly help: string;
}

/** The program's flags, in the order of its help. */
export const FLAGS = {
  port: { type: 'string', value: 'PORT', help: 'the node’s port (default 4001; 0: any free port)' },
  'kmd-port': {
    type: 'string',
    value: 'PORT',
    help: 'KMD’s port (default 4002; with --port: no KMD; 0: any free port)',
  },
  'indexer-port': {
    type: 'string',
    value: 'PORT',
    help: 'the indexer’s port (default 8980; with --port: no indexer; 0: any free port)',
  },
  host: { type: 'string', value: 'ADDRESS', help: 'address it listens on (default 127.0.0.1)' },
  token: { type: 'string', value: 'TOKEN', help: 'API token (default 64 × a)' },
  'admin-token': { type: 'string', value: 'TOKEN', help: 'token of the admin routes (default: the API token)' },
  'no-auth': { type: 'boolean', help: 'public routes need no token' },
  network: { type: 'string', value: 'testnet', help: 'present TestNet’s genesis id and hash' },
  genesis: { type: 'string', value: 'FILE', help: 'boot exactly this algod genesis.json, without named accounts' },
  data: { type: 'string', value: 'DIR', help: 'keep the chain in this directory, and continue the one that it holds' },
  archive: { type: 'boolean', help: 'keep all blocks (default: the last 100,000)' },
  load: { type: 'string', value: 'FILE', help: 'start from a state file of GET /dev/dump' },
  import: { type: 'string', value: 'FILE', help: 'start with the accounts and assets that `export` wrote, see below' },
  config: { type: 'string', value: 'FILE', help: 'take keys of an algod config.json' },
  'kmd-config': { type: 'string', value: 'FILE', help: 'take keys of a kmd_config.json for KMD' },
  'block-time': { type: 'string', value: 'TIME', help: 'a block every TIME, e.g. 2.8s or 500ms (default: at once)' },
  manual: { type: 'boolean', help: 'make blocks only by POST /dev/mine' },
  strict: { type: 'boolean', help: 'behave exactly as algod’s dev mode, see below' },
  'no-developer-api': { type: 'boolean', help: 'EnableDeveloperAPI off: /v2/transactions/async answers 404' },
  'no-experimental-api': { type: 'boolean', help: 'EnableExperimentalAPI off: /v2/transactions/async does not exist' },
  quiet: { type: 'boolean', short: 'q', help: 'no banner, only the line that says where it listens' },
  help: { type: 'boolean', short: 'h', help: 'show this' },
  version: { type: 'boolean', short: 'v', help: 'show the version' },
} as const satisfies Readonly<Record<string, Flag>>;

/** The text of `--help`. */
export function helpText(): string {
  const flags: readonly (readonly [string, Flag])[] = Object.entries(FLAGS);
  const lines = flags.map(([name, { short, value, help }]) => {
    const flag = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${flag.padEnd(28)} ${help}`;
  });
  return `Usage: avm402-devnode [options]
       avm402-devnode export --algod URL [--token TOKEN] ADDRESS…

An Algorand node for development: algod’s REST interface over a ledger in memory or in a directory, with named, funded accounts.

${lines.join('\n')}

Submission
  POST /v2/transactions         evaluated at once; when the answer comes, the block is made
  POST /v2/transactions/async   an empty 200 at once, evaluated afterwards: an invalid group is dropped silently. Needs the developer and
                                experimental APIs, both on by default. Each group gets a block of its own; with --strict it stays
                                in the pool until the next synchronous submission, as in algod’s dev mode.

Accounts of other chains
  export --algod URL ADDRESS…   reads accounts, what they hold and the assets’ parameters from any algod, and prints them as a
                                file for --import

--strict makes one block for each synchronous submission, never one for several that arrive together,
and keeps no distance between blocks while transactions are about to expire.`;
}

const EXCLUSIVE = [
  ['manual', 'block-time'],
  ['load', 'import'],
  ['network', 'genesis'],
] as const;

/** The parsed command line. */
export interface Command {
  readonly show: 'help' | 'version' | undefined;
  readonly quiet: boolean;
  readonly options: DevnodeOptions;
}

/**
 * Reads the command line and the files that it names.
 * @throws DevnodeError `invalid_options`, which names the flag
 */
export function parseCommand(args: readonly string[]): Command {
  const { values } = parsed({ args: [...args], options: FLAGS }, 'see avm402-devnode --help');
  const show = values.help === true ? 'help' : values.version === true ? 'version' : undefined;
  if (show !== undefined) return { show, quiet: false, options: {} };
  for (const [one, other] of EXCLUSIVE) {
    if (values[one] === undefined || values[other] === undefined) continue;
    throw new DevnodeError('invalid_options', `--${one} and --${other} exclude each other`);
  }
  return { show, quiet: values.quiet ?? false, options: toOptions(values) };
}

/** Parses a command line. @throws DevnodeError `invalid_options`, which says what helps */
export function parsed<const T extends ParseArgsConfig>(config: T, help: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.split('. ')[0] : String(cause);
    throw new DevnodeError('invalid_options', `${message}; ${help}`, { cause });
  }
}

type FlagValues = ReturnType<typeof parseArgs<{ readonly options: typeof FLAGS }>>['values'];

function toOptions(values: FlagValues): DevnodeOptions {
  const { port, host, token, network, genesis } = values;
  const adminToken = values['admin-token'];
  return {
    ...(port !== undefined && { port: parsePort(port, '--port') }),
    ...companionOptions(values),
    ...(host !== undefined && { host }),
    ...(token !== undefined && { token }),
    ...(adminToken !== undefined && { adminToken }),
    ...(values['no-auth'] === true && { auth: false }),
    ...(network !== undefined && { network: parseNetwork(network) }),
    ...(genesis !== undefined && { genesis: readText(genesis, '--genesis') }),
    ...(values.data !== undefined && { data: values.data }),
    ...(values.import !== undefined && { accountsFile: readText(values.import, '--import') }),
    ...(values.load !== undefined && { state: readBytes(values.load, '--load') }),
    ...blocksOption(values),
    strict: values.strict ?? false,
    config: configOption(values),
  };
}

/** A node on a port of its own may be one of many, so its companions start only when they are asked for. */
function companionOptions(values: FlagValues): Pick<DevnodeOptions, 'kmdPort' | 'indexerPort' | 'kmdConfig'> {
  const defaults = values.port === undefined ? DEFAULT_COMPANION_PORTS : undefined;
  const { 'kmd-port': kmdPort, 'indexer-port': indexerPort } = { ...defaults, ...values };
  const kmdConfig = values['kmd-config'];
  return {
    ...(kmdPort !== undefined && { kmdPort: parsePort(kmdPort, '--kmd-port') }),
    ...(indexerPort !== undefined && { indexerPort: parsePort(indexerPort, '--indexer-port') }),
    ...(kmdConfig !== undefined && { kmdConfig: readJsonObject(kmdConfig, '--kmd-config') }),
  };
}

function blocksOption({ manual, 'block-time': blockTime }: FlagValues): Pick<DevnodeOptions, 'blocks'> {
  if (manual === true) return { blocks: 'manual' };
  return blockTime === undefined ? {} : { blocks: { everyMs: parseDuration(blockTime) } };
}

function configOption(values: FlagValues): Readonly<Record<string, unknown>> {
  return {
    ...(values.config !== undefined && readJsonObject(values.config, '--config')),
    ...(values.archive === true && { Archival: true }),
    ...(values['no-developer-api'] === true && { EnableDeveloperAPI: false }),
    ...(values['no-experimental-api'] === true && { EnableExperimentalAPI: false }),
  };
}

function readJsonObject(file: string, flag: string): Readonly<Record<string, unknown>> {
  const text = readText(file, flag);
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (cause) {
    throw new DevnodeError('invalid_options', `${flag}: ${file} is not JSON`, { cause });
  }
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) return { ...config };
  throw new DevnodeError('invalid_options', `${flag}: ${file} is not a JSON object`);
}

function readText(file: string, flag: string): string {
  return readBytes(file, flag).toString('utf8');
}

function readBytes(file: string, flag: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new DevnodeError('invalid_options', `${flag}: ${file} can't be read`, { cause });
  }
}

function parsePort(text: string, flag: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new DevnodeError('invalid_options', `${flag}: ${text} is not a port (0 to 65535)`);
}

function parseNetwork(text: string): 'testnet' {
  if (text === 'testnet') return text;
  throw new DevnodeError('invalid_options', `--network: ${text} is unknown; only testnet can be presented`);
}
