import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '@avm402/stack/program';
import { startClient } from '../client.ts';
import type { Side } from '../compare.ts';
import { RATE } from '../figures.ts';
import { type BenchNode, blocksFor, startNode } from '../node.ts';
import { MAKES, merchant, payers, sponsor, SPONSOR_BUDGET, startFacilitator, startServer } from '../roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

const THREE = 'three processes, concurrency';
const ONE = 'seller in one process, concurrency';

/** Who sells: where, and in which processes. */
interface Shop {
  readonly url: string;
  readonly pids: readonly number[];
}

export const upfront: Scenario = {
  name: 'upfront',
  title: 'A whole paid request, settled before its handler runs',
  method:
    '`GET /weather-upfront` by a paying fetch: 402, payment, settle, handler, 200 with a receipt. Stock, and ours in the ' +
    'first cases, are a client, a server and a facilitator; in the others our server has the facilitator in its process. ' +
    'The node is the same and makes a block for each payment.',
  targets: [
    { case: `${THREE} 1`, figure: RATE, kind: 'times', wanted: 4 },
    { case: `${ONE} 1`, figure: RATE, kind: 'times', wanted: 5 },
  ],
  async run(bench) {
    const slices = [];
    for (const concurrency of bench.full ? [1, 5] : [1]) {
      for (const name of [THREE, ONE]) slices.push(...(await comparePurchases(bench, name, concurrency)));
    }
    return slices;
  },
};

async function comparePurchases(bench: Bench, name: string, concurrency: number) {
  const node = await bench.own(startNode(blocksFor(concurrency)));
  const privateKeys = payers.slice(0, concurrency).map(({ privateKey }) => privateKey);
  const sides: Side[] = [];
  for (const make of MAKES) {
    const isAlone = make === 'ours' && name === ONE;
    const shop = isAlone ? await sellAlone(bench, node) : await sell(bench, make, node);
    const client = await bench.own(startClient(make === 'ours' ? 'our' : 'stock', node.environment));
    const operations = (make === 'ours' ? 400 : 80) / (bench.full ? 1 : 4);
    const run = () => client.run({ url: `${shop.url}/weather-upfront`, privateKeys, operations });
    sides.push({ name: make, pids: [client.pid, ...shop.pids], run });
  }
  return bench.compare({
    case: `${name} ${concurrency}`,
    sides,
    rounds: bench.full ? 5 : 2,
    warmUpMs: bench.full ? 60_000 : 500,
    nodeCalls: node.calls,
  });
}

async function sell(bench: Bench, make: (typeof MAKES)[number], node: BenchNode): Promise<Shop> {
  const facilitator = await bench.own(startFacilitator(make, node));
  const { url, pid } = await bench.own(startServer(make, facilitator.url));
  return { url, pids: [pid, facilitator.pid] };
}

async function sellAlone(bench: Bench, node: BenchNode): Promise<Shop> {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  await bench.own(Promise.resolve({ stop: () => rm(folder, { recursive: true, force: true }) }));
  const { url, pid } = await bench.own(
    startProgram({
      name: 'our-seller-alone',
      command: [fileURLToPath(new URL('../peers/our-seller-alone.ts', import.meta.url))],
      environment: {
        ...node.environment,
        NODE_ENV: 'production',
        AVM_ADDRESS: merchant.address,
        AVM_PRIVATE_KEY: sponsor.privateKey,
        SPONSOR_PAY_TO_BUDGET: String(SPONSOR_BUDGET),
        SPONSOR_PAYER_BUDGET: String(SPONSOR_BUDGET),
        SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
      },
    }),
  );
  return { url, pids: [pid] };
}
