// The same script with AlgoKit utils 9 and 10, against the program, told of it only by ports.
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { developmentAccounts } from '../../src/genesis/development-accounts.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/avm402-devnode.js');
const SCRIPT = join(import.meta.dirname, 'first-hour.ts');
const run = promisify(execFile);

interface Ports {
  readonly algod: string;
  readonly kmd: string;
  readonly indexer: string;
}

const LOCALNET: Ports = { algod: '4001', kmd: '4002', indexer: '8980' };
const dispenser = developmentAccounts().dispenser.address;

export const FIRST_HOUR = {
  'is LocalNet': true,
  'genesis id': 'dockernet-v1',
  dispenser,
  'dispenser by other ways': [dispenser, dispenser, dispenser],
  'unknown wallet': 'none',
  'an account of the environment has': '1000000000',
  'is found again': true,
  'a wallet account has': '50000000',
  'a funded random account has': '2100000',
  'and then': '3100000',
  'a payment brings': '1000000',
  payments: 1,
  'a rekeyed account pays': true,
  'a holding': { balance: '40', frozen: true },
  'an asset': 'First hour',
  'a destroyed asset': 'is gone',
  'members of a group': 2,
  simulated: 1,
  'a refusal': 'overspend',
  'found by the indexer': true,
  'a generated account has': '6000000',
};

const KITS = {
  'algokit-utils-9': 'algokit-utils-9/testing',
  'algokit-utils-10': 'algokit-utils-10/testing',
} as const;
type Kit = keyof typeof KITS;

const running: ChildProcessByStdio<null, Readable, Readable>[] = [];

/** To be called after each test. */
export function stopNodes(): void {
  for (const program of running.splice(0)) program.kill('SIGKILL');
}

/** Starts a node. Resolves with where it answers; with undefined when another program has one of the ports. */
async function startNode(...args: string[]): Promise<Ports | undefined> {
  const program = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(program);
  let printed = '';
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  const port = (name: string): string => new RegExp(`^${name}.* http://127.0.0.1:(\\d+)`, 'm').exec(printed)?.[1] ?? '';
  while (port('avm402-devnode listening on') === '') {
    const [code] = (await Promise.race([once(program.stdout, 'data'), once(program, 'exit')])) as [unknown];
    if (code === 1) return undefined;
  }
  return { algod: port('avm402-devnode listening on'), kmd: port('KMD'), indexer: port('Indexer') };
}

/** Runs the script with a kit; resolves with what it found. */
async function firstHour(kit: Kit, environment: NodeJS.ProcessEnv, ...preload: string[]): Promise<unknown> {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...environment,
  };
  const { stdout } = await run(process.execPath, [...preload, SCRIPT, kit, KITS[kit]], { env });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

/** Runs the script with the ports in its environment. */
export async function firstHourByPorts(kit: Kit): Promise<unknown> {
  const ports = await startNode('--port', '0', '--kmd-port', '0', '--indexer-port', '0');
  const server = 'http://127.0.0.1';
  const token = 'a'.repeat(64);
  return firstHour(kit, {
    ALGOD_SERVER: server,
    ALGOD_PORT: ports?.algod,
    ALGOD_TOKEN: token,
    KMD_PORT: ports?.kmd,
    INDEXER_SERVER: server,
    INDEXER_PORT: ports?.indexer,
    INDEXER_TOKEN: token,
  });
}

/** Runs the script without any environment; requests to LocalNet's ports go to a node wherever it is. */
export async function firstHourByDefaults(kit: Kit): Promise<unknown> {
  const own = await startNode();
  const ports = own ?? (await startNode('--port', '0', '--kmd-port', '0', '--indexer-port', '0'));
  // Where another program has LocalNet's ports, requests to them are sent to the node's.
  return firstHour(kit, {}, ...(own ? [] : ['--import', redirection(ports ?? LOCALNET)]));
}

function redirection(ports: Ports): string {
  const places = Object.entries(LOCALNET).map(([name, port]) => [
    `http://localhost:${port}`,
    `http://127.0.0.1:${ports[name as keyof Ports]}`,
  ]);
  const code = `const places = ${JSON.stringify(places)}; const send = globalThis.fetch;
    globalThis.fetch = (target, init) => {
      const [from, to] = places.find(([origin]) => String(target).startsWith(origin + '/')) ?? ['', ''];
      return send(to + String(target).slice(from.length), init);
    };`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
