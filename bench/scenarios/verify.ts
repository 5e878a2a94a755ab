import type { Bench, Scenario } from '../harness/scenario.ts';
import { facilitatorSide, nodeFor, startFacilitators, WARM_UP_MS } from './facilitator-sides.ts';
import { cpuTime, medianLatency, perSecond } from './sides.ts';

export const verify: Scenario = {
  name: 'verify',
  title: 'Facilitator: verify',
  method:
    'Sponsored payments, each another one, are posted to `/verify` over open connections; a worker posts its next one ' +
    'when it has read the answer. Above concurrency 5 the node makes a block every 2.8 s.',
  ratios: [perSecond, medianLatency, cpuTime],
  async run(bench) {
    const slices = [];
    for (const concurrency of bench.full ? [1, 10, 100] : [1, 10]) {
      slices.push(...(await bench.scoped((inner) => at(inner, concurrency))));
    }
    return slices;
  },
};

async function at(bench: Bench, concurrency: number) {
  const paced = await nodeFor(bench, concurrency);
  const { node } = paced;
  const operations = { ours: bench.full ? 600 : 150, stock: bench.full ? 200 : 30 };
  const load = { concurrency, operations, verified: false, endpoint: 'verify' } as const;
  const facilitators = await startFacilitators(bench, node);
  const sides = facilitators.map((facilitator) => facilitatorSide(paced, facilitator, load));
  return bench.compare({
    case: `concurrency ${concurrency}`,
    sides,
    ...(bench.full && { warmUpMs: WARM_UP_MS }),
    rounds: bench.full ? 5 : 2,
    nodeCalls: () => node.calls(),
  });
}
