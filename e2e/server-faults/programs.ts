import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack';
import { startProgram, type Program } from '@avm402/stack/program';
import type { HandlerRun } from './evidence.ts';

const files = {
  node: fileURLToPath(new URL('../../packages/devnode/bin/avm402-devnode.js', import.meta.url)),
  facilitator: fileURLToPath(new URL('../../packages/facilitator/bin/avm402-facilitator.js', import.meta.url)),
  shop: fileURLToPath(new URL('shop.ts', import.meta.url)),
};

type Origin = Pick<Program, 'url'>;

interface ShopOptions {
  /** Replicas of one facilitator. */
  readonly facilitators: readonly Origin[];
  /** File of its redemptions. Absent: it has them in memory. */
  readonly store?: string;
}

/** Nodes, facilitators and shops that end together, and a folder for their files. */
export interface Programs {
  readonly folder: string;
  /** Who is paid. */
  readonly payTo: string;
  /** A node that presents TestNet. */
  node(...options: string[]): Promise<Program>;
  /** `store`: the variable that names its store. */
  facilitator(node: Origin, store: Readonly<Record<string, string>>): Promise<Program>;
  shop(options: ShopOptions): Promise<Program>;
  /** What the handlers of all shops did. */
  runs(): Promise<HandlerRun[]>;
  /** Something else that ends with them. */
  keep<Part extends { stop(): Promise<unknown> }>(part: Part): Part;
  /** Ends everything, the last started first. */
  stop(): Promise<void>;
}

export async function openPrograms(): Promise<Programs> {
  const { facilitator: sponsor, merchant } = developmentAccounts();
  const folder = await mkdtemp(join(tmpdir(), 'avm402-shops-'));
  const runsFile = join(folder, 'runs');
  const parts: { stop(): Promise<unknown> }[] = [];
  const keep: Programs['keep'] = (part) => {
    parts.push(part);
    return part;
  };
  const start = async (name: string, command: string[], environment: Record<string, string>): Promise<Program> =>
    keep(await startProgram({ name, command, environment }));
  return {
    folder,
    payTo: merchant.address,
    node: (...options) => start('avm402-devnode', [files.node, '--port', '0', '--network', 'testnet', ...options], {}),
    facilitator: (node, store) =>
      start('avm402-facilitator', [files.facilitator], {
        ALGOD_URL: node.url,
        ALGOD_TOKEN: NODE_TOKEN,
        AVM_PRIVATE_KEY: sponsor.privateKey,
        SPONSOR_PAY_TO: merchant.address,
        PORT: '0',
        ...store,
      }),
    shop: ({ facilitators, store }) =>
      start('shop', ['--conditions=@avm402/source', files.shop], {
        FACILITATOR_URL: facilitators.map(({ url }) => url).join(','),
        PAY_TO: merchant.address,
        RUNS: runsFile,
        ...(store === undefined ? {} : { STORE: store }),
      }),
    runs: async () => {
      const lines = (await readFile(runsFile, 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line) as HandlerRun);
    },
    keep,
    stop: async () => {
      for (const part of parts.splice(0).toReversed()) await part.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
