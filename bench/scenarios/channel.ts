import { startClient } from '../client.ts';
import type { Side } from '../compare.ts';
import { CPU, P50, RATE } from '../figures.ts';
import { type Blocks, startNode } from '../node.ts';
import { payers, startChannelServer, startFacilitator, startServer } from '../roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

const ONE = 'instant blocks, concurrency 1';
const MANY = 'instant blocks, concurrency 32';
const SLOW = 'blocks of 2.8 s, concurrency 1';

const keysOf = (workers: number): string[] => payers.slice(0, workers).map(({ privateKey }) => privateKey);

export const channel: Scenario = {
  name: 'channel',
  title: 'A paid request over an open channel',
  method:
    '`GET /weather` by a paying fetch that pays with the first message: a voucher, verified in the server, whose record ' +
    '(SQLite, each commit on the disk) is written before the answer leaves. Beside it stock with a payment of `exact`. ' +
    'Client and server are processes of one make, the facilitator another. Every worker has a channel of its own, open ' +
    'before it is measured.',
  targets: [
    { case: ONE, figure: RATE, kind: 'times', wanted: 30 },
    { case: ONE, figure: P50, kind: 'atMost', wanted: 1 },
    { case: ONE, figure: CPU, kind: 'atMost', wanted: 0.6 },
    { case: MANY, figure: RATE, kind: 'atLeast', wanted: 2500 },
    { case: SLOW, figure: P50, kind: 'atMost', wanted: 1 },
  ],
  async run(bench) {
    return [
      ...(await comparePayments(bench, { name: ONE, blocks: 'each', workers: 1, besideStock: 80 })),
      ...(await comparePayments(bench, { name: MANY, blocks: 'instant', workers: 32 })),
      ...(await comparePayments(bench, { name: SLOW, blocks: 'slow', workers: 1, besideStock: 3 })),
    ];
  },
};

interface Case {
  readonly name: string;
  readonly blocks: Blocks;
  readonly workers: number;
  /** Payments that stock makes in a slice; absent: it can't, with so many at once on blocks without a pause. */
  readonly besideStock?: number;
}

async function comparePayments(bench: Bench, { name, blocks, workers, besideStock }: Case) {
  const node = await bench.own(startNode(blocks));
  const sides: Side[] = [];
  const facilitator = await bench.own(startFacilitator('ours', node));
  const server = await bench.own(startChannelServer(facilitator.url));
  const client = await bench.own(startClient('our-channel', node.environment));
  const pay = (operations: number) =>
    client.run({ url: `${server.url}/weather`, privateKeys: keysOf(workers), operations });
  // Opens the channels.
  await pay(workers);
  const operations = bench.full ? 10_000 : 2_000;
  sides.push({ name: 'ours', pids: [client.pid, server.pid, facilitator.pid], run: () => pay(operations) });
  if (besideStock !== undefined) sides.push(await stock(bench, node, besideStock));
  return bench.compare({
    case: name,
    sides,
    rounds: bench.full ? 5 : 2,
    warmUpMs: bench.full ? 20_000 : 1_000,
    nodeCalls: node.calls,
  });
}

async function stock(bench: Bench, node: Awaited<ReturnType<typeof startNode>>, operations: number): Promise<Side> {
  const facilitator = await bench.own(startFacilitator('stock', node));
  const server = await bench.own(startServer('stock', facilitator.url));
  const client = await bench.own(startClient('stock', node.environment));
  const run = () => client.run({ url: `${server.url}/weather`, privateKeys: keysOf(1), operations });
  return { name: 'stock', pids: [client.pid, server.pid, facilitator.pid], run };
}
