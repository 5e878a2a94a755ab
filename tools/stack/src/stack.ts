import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { developmentAccounts, type DevelopmentAccounts } from '@avm402/devnode';
import { freePort } from './free-port.ts';
import { startProgram, type Program } from './program.ts';

export const NODE_PORT = 4001;
export const FACILITATOR_PORT = 4022;
export const WEATHER_PORT = 4021;
/** AlgoKit LocalNet's API token. */
export const NODE_TOKEN = 'a'.repeat(64);

const programs = {
  node: fileURLToPath(new URL('../../../packages/devnode/bin/avm402-devnode.js', import.meta.url)),
  facilitator: fileURLToPath(new URL('../../../packages/facilitator/bin/avm402-facilitator.js', import.meta.url)),
  weather: fileURLToPath(new URL('../../../apps/weather/dist/main.js', import.meta.url)),
} as const;

export interface StackOptions {
  /** Wanted ports; a taken one is replaced by the next free one, 0 means any. Default: 0 for all. */
  readonly ports?: { readonly node: number; readonly facilitator: number; readonly weather: number };
  /** Use the node at this URL instead of starting one. */
  readonly nodeUrl?: string;
  /** Arguments of the embedded node, for example `['--network', 'testnet']`. */
  readonly nodeArguments?: readonly string[];
  /** Added to, or replacing, the facilitator's environment. */
  readonly facilitatorEnvironment?: Readonly<Record<string, string>>;
  /** Added to, or replacing, the weather server's environment. */
  readonly weatherEnvironment?: Readonly<Record<string, string>>;
  /** Called as each program gets ready. */
  readonly onReady?: (program: Program) => void;
}

export interface Stack {
  /** The embedded node, or the one that was given by URL. */
  readonly node: Pick<Program, 'url' | 'output'>;
  readonly facilitator: Program;
  readonly weather: Program;
  /** The node's named development accounts. */
  readonly accounts: DevelopmentAccounts;
  /** Ends the embedded node alone, as if it had crashed. */
  stopNode(): Promise<void>;
  /** Stops all programs, the last started first, and removes the settlement store. */
  stop(): Promise<void>;
}

/** Starts node, facilitator and weather as separate processes, each once the one before is ready. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const ports = options.ports ?? { node: 0, facilitator: 0, weather: 0 };
  const accounts = developmentAccounts();
  const folder = await mkdtemp(join(tmpdir(), 'avm402-'));
  const started: Program[] = [];
  const launch = async (name: string, command: string[], environment: Record<string, string>): Promise<Program> => {
    const program = await startProgram({ name, command, environment });
    started.push(program);
    options.onReady?.(program);
    return program;
  };
  const stop = async (): Promise<void> => {
    for (const program of started.toReversed()) await program.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const node = options.nodeUrl
      ? { url: options.nodeUrl, output: () => '', kill: async () => {} }
      : await launch('avm402-devnode', [programs.node, ...(await nodeArguments(ports.node, options))], {});
    const facilitator = await launch('avm402-facilitator', [programs.facilitator], {
      ALGOD_URL: node.url,
      ALGOD_TOKEN: NODE_TOKEN,
      AVM_PRIVATE_KEY: accounts.facilitator.privateKey,
      SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
      PORT: String(await freePort(ports.facilitator)),
      ...options.facilitatorEnvironment,
    });
    const weather = await launch('weather', [programs.weather], {
      AVM_ADDRESS: accounts.merchant.address,
      FACILITATOR_URL: facilitator.url,
      PORT: String(await freePort(ports.weather)),
      ...options.weatherEnvironment,
    });
    return { node, facilitator, weather, accounts, stop, stopNode: () => node.kill() };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function nodeArguments(wantedPort: number, options: StackOptions): Promise<string[]> {
  const port = String(await freePort(wantedPort));
  return ['--port', port, '--token', NODE_TOKEN, ...(options.nodeArguments ?? [])];
}
