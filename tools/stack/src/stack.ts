import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { developmentAccounts, type DevelopmentAccounts } from '@avm402/devnode';
import { freePort } from './free-port.ts';
import type { Program } from './program.ts';
import { startFacilitator, startNode, startWeather } from './programs.ts';

export const NODE_PORT = 4001;
export const FACILITATOR_PORT = 4022;
export const WEATHER_PORT = 4021;
export const CONSOLE_PORT = 4023;

export interface StackOptions {
  /** The wanted ports; a taken one is replaced by the next free one, 0 means any. Default: 0 for all. */
  readonly ports?: { readonly node: number; readonly facilitator: number; readonly weather: number };
  /** Use the node at this URL instead of starting one. */
  readonly nodeUrl?: string;
  /** Arguments of the embedded node, for example `['--network', 'testnet']`. */
  readonly nodeArguments?: readonly string[];
  /** Variables added to the facilitator's environment, or replacing its own. */
  readonly facilitatorEnvironment?: Readonly<Record<string, string>>;
  /** Variables added to the weather server's environment, or replacing its own. */
  readonly weatherEnvironment?: Readonly<Record<string, string>>;
  /** Called as each program becomes ready. */
  readonly onReady?: (program: Program) => void;
}

/** The running programs; `await using` stops them. */
export interface Stack extends AsyncDisposable {
  /** The embedded node, or the one that was given by URL. */
  readonly node: Pick<Program, 'url' | 'output'>;
  readonly facilitator: Program;
  readonly weather: Program;
  /** The node's named development accounts. */
  readonly accounts: DevelopmentAccounts;
  /** Ends only the embedded node, as if it had crashed. */
  stopNode(): Promise<void>;
  /** Stops all programs, the last started first, and removes the settlement store. */
  stop(): Promise<void>;
}

/** Starts node, facilitator and weather as separate processes, one after another, each when the one before is ready. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const ports = options.ports ?? { node: 0, facilitator: 0, weather: 0 };
  const accounts = developmentAccounts();
  const folder = await mkdtemp(join(tmpdir(), 'avm402-'));
  const started: Program[] = [];
  const keep = async (starting: Promise<Program>): Promise<Program> => {
    const program = await starting;
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
      : await keep(startNode('--port', String(await freePort(ports.node)), ...(options.nodeArguments ?? [])));
    const facilitator = await keep(
      startFacilitator(node.url, {
        SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
        PORT: String(await freePort(ports.facilitator)),
        ...options.facilitatorEnvironment,
      }),
    );
    const weather = await keep(
      startWeather(facilitator.url, {
        PORT: String(await freePort(ports.weather)),
        ...options.weatherEnvironment,
      }),
    );
    return { node, facilitator, weather, accounts, stop, stopNode: () => node.kill(), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
