import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { developmentAccounts } from '@avm402/devnode';
import { startProgram, type Program } from '@avm402/stack/program';
import { startFacilitator, startNode } from '@avm402/stack/programs';
import type { HandlerRun } from './evidence.ts';

const shopFile = fileURLToPath(new URL('shop.ts', import.meta.url));

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
  /** The receiver of payments. */
  readonly payTo: string;
  /** A node that presents TestNet. */
  node(...options: string[]): Promise<Program>;
  /** `store`: the variable that names its store. */
  facilitator(node: Origin, store: Readonly<Record<string, string>>): Promise<Program>;
  shop(options: ShopOptions): Promise<Program>;
  /** The runs of all shops' handlers. */
  runs(): Promise<HandlerRun[]>;
  /** Something else that ends with them. */
  keep<Part extends { stop(): Promise<unknown> }>(part: Part): Part;
  /** Ends everything, the last started first. */
  stop(): Promise<void>;
}

export async function openPrograms(): Promise<Programs> {
  const { merchant } = developmentAccounts();
  const folder = await mkdtemp(join(tmpdir(), 'avm402-shops-'));
  const runsFile = join(folder, 'runs');
  const parts = new AsyncDisposableStack();
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const keep: Programs['keep'] = (part) => parts.adopt(part, async () => void (await part.stop()));
  return {
    folder,
    payTo: merchant.address,
    node: async (...options) => keep(await startNode('--network', 'testnet', ...options)),
    facilitator: async (node, store) =>
      keep(await startFacilitator(node.url, { SPONSOR_PAY_TO: merchant.address, ...store })),
    shop: async ({ facilitators, store }) => {
      const environment = {
        FACILITATOR_URL: facilitators.map(({ url }) => url).join(','),
        PAY_TO: merchant.address,
        RUNS: runsFile,
        ...(store === undefined ? {} : { STORE: store }),
      };
      const command = [shopFile];
      return keep(await startProgram({ name: 'shop', command, environment }));
    },
    runs: async () => {
      const lines = (await readFile(runsFile, 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line) as HandlerRun);
    },
    keep,
    stop: () => parts.disposeAsync(),
  };
}
