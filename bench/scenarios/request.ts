import type { Side } from '../compare.ts';
import { startClient } from '../client.ts';
import { CPU, NODE_CALLS, RATE } from '../figures.ts';
import { blocksFor, startNode } from '../node.ts';
import { MAKES, payers, startFacilitator, startServer } from '../roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

const AUTHORIZATION = 'authorization, concurrency';
const CREATE = 'sponsored';

const keysOf = (workers: number): string[] => payers.slice(0, workers).map(({ privateKey }) => privateKey);

export const request: Scenario = {
  name: 'request',
  title: 'A whole paid request',
  method:
    '`GET /weather` by a paying fetch: 402, payment, verify, handler, settle, 200 with a receipt. Client, server and ' +
    'facilitator are processes of one make; the node is the same. Above concurrency 5 the node makes a block every ' +
    '2.8 s: waiting dominates, so that CPU time is what counts.',
  targets: [
    { case: `${AUTHORIZATION} 1`, figure: RATE, kind: 'times', wanted: 3 },
    { case: `${AUTHORIZATION} 5`, figure: RATE, kind: 'times', wanted: 3 },
    { case: `${AUTHORIZATION} 10`, figure: CPU, kind: 'times', wanted: 2.5 },
    { case: `${AUTHORIZATION} 100`, figure: CPU, kind: 'times', wanted: 2.5 },
  ],
  async run(bench) {
    const slices = [];
    for (const concurrency of bench.full ? [1, 5, 10, 100] : [1, 5]) {
      slices.push(...(await comparePayments(bench, concurrency)));
    }
    return slices;
  },
};

/** Every worker pays from an account of its own. */
async function comparePayments(bench: Bench, concurrency: number) {
  const blocks = blocksFor(concurrency);
  const node = await bench.own(startNode(blocks));
  const sides: Side[] = [];
  for (const make of MAKES) {
    const facilitator = await bench.own(startFacilitator(make, node));
    const server = await bench.own(startServer(make, facilitator.url));
    const client = await bench.own(startClient(make === 'ours' ? 'our' : 'stock', node.environment));
    const instant = (make === 'ours' ? 400 : 80) / (bench.full ? 1 : 4);
    const operations = blocks === 'each' ? instant : Math.max(60, 3 * concurrency);
    const run = () => client.run({ url: `${server.url}/weather`, privateKeys: keysOf(concurrency), operations });
    sides.push({ name: make, pids: [client.pid, server.pid, facilitator.pid], run });
  }
  return bench.compare({
    case: `${AUTHORIZATION} ${concurrency}`,
    sides,
    rounds: bench.full ? 5 : 2,
    warmUpMs: bench.full ? 60_000 : 500,
    nodeCalls: node.calls,
  });
}

export const create: Scenario = {
  name: 'create',
  title: 'Creating a payment',
  method:
    'Each side in a process of its own builds and signs payments one after another through the stock interface ' +
    '`createPaymentPayload`; nothing is sent. Both ask the same node for parameters.',
  targets: [
    { case: CREATE, figure: RATE, kind: 'times', wanted: 10 },
    { case: CREATE, figure: NODE_CALLS, kind: 'atMost', wanted: 0.01 },
  ],
  async run(bench) {
    const node = await bench.own(startNode('manual'));
    const sides: Side[] = [];
    for (const make of MAKES) {
      const client = await bench.own(startClient(make === 'ours' ? 'our' : 'stock', node.environment));
      const operations = (make === 'ours' ? 5000 : 300) / (bench.full ? 1 : 5);
      sides.push({
        name: make,
        pids: [client.pid],
        run: () => client.run({ privateKeys: keysOf(1), operations }),
      });
    }
    const [rounds, warmUpMs] = bench.full ? [9, 10_000] : [2, 500];
    return bench.compare({ case: CREATE, sides, rounds, warmUpMs, nodeCalls: node.calls });
  },
};
