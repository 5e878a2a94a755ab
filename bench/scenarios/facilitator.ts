import type { Side } from '../measure/compare.ts';
import { CPU, NODE_CALLS, RATE } from '../measure/figures.ts';
import { blocksFor, startNode } from '../market/node.ts';
import { facilitatorSide, type Endpoint } from '../market/payments.ts';
import { MAKES, startFacilitator } from '../market/roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

const ROUND_TRIPS =
  'verify, settle and three answers of the node wait for each other, and both sides make these round trips; the CPU time is less than a fifth of stock’s.';

const at = (concurrency: number): string => `concurrency ${concurrency}`;

export const verify: Scenario = {
  name: 'verify',
  fullSeconds: 130,
  targets: [
    { case: at(10), figure: RATE, kind: 'times', wanted: 5 },
    { case: at(1), figure: NODE_CALLS, kind: 'atMost', wanted: 1.05 },
  ],
  async run(bench) {
    for (const concurrency of bench.full ? [1, 10, 100] : [1, 10]) {
      await compareFacilitators(bench, { concurrency, endpoints: ['verify'], rounds: 9 });
    }
  },
};

export const settle: Scenario = {
  name: 'settle',
  fullSeconds: 290,
  targets: [
    { case: at(1), figure: RATE, kind: 'times', wanted: 4, miss: ROUND_TRIPS },
    { case: at(5), figure: RATE, kind: 'times', wanted: 4 },
    { case: at(10), figure: CPU, kind: 'times', wanted: 4 },
    { case: at(100), figure: CPU, kind: 'times', wanted: 4 },
    { case: at(1), figure: NODE_CALLS, kind: 'atMost', wanted: 3.05 },
  ],
  async run(bench) {
    for (const concurrency of bench.full ? [1, 5, 10, 100] : [1, 5]) {
      const rounds = blocksFor(concurrency) === 'slow' ? 4 : 9;
      await compareFacilitators(bench, { concurrency, endpoints: ['verify', 'settle'], rounds });
    }
  },
};

interface Case {
  readonly concurrency: number;
  readonly endpoints: readonly Endpoint[];
  readonly rounds: number;
}

async function compareFacilitators(bench: Bench, { concurrency, endpoints, rounds }: Case): Promise<void> {
  const blocks = blocksFor(concurrency);
  const node = await bench.own(startNode(blocks));
  const sides: Side[] = [];
  for (const make of MAKES) {
    const quick = (make === 'ours' ? 600 : 120) / (bench.full ? 1 : 5);
    // Ours wait for a block each, stock's for two.
    const slow = (make === 'ours' ? 3 : 2) * concurrency;
    const count = blocks === 'slow' && endpoints.includes('settle') ? slow : quick;
    const facilitator = await bench.own(startFacilitator(make, node, await bench.folder()));
    sides.push({ name: make, ...facilitatorSide(facilitator, { node, workers: concurrency, count, endpoints }) });
  }
  await bench.compare({ case: at(concurrency), sides, rounds, warmUpMs: 10_000, nodeCalls: node.calls });
}
