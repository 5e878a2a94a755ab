import type { Bench, Scenario } from '../harness/scenario.ts';
import {
  facilitatorSide,
  hasInstantBlocks,
  nodeFor,
  sliceWithSlowBlocks,
  startBareFacilitator,
  startFacilitators,
  WARM_UP_MS,
} from './facilitator-sides.ts';
import { cpuTime, medianLatency, perSecond } from './sides.ts';

export const settle: Scenario = {
  name: 'settle',
  title: 'Facilitator: settle',
  method:
    'Sponsored payments that the same facilitator has verified before, as a resource server does, are posted to ' +
    '`/settle`. Ours records each in SQLite before it is sent, stock keeps no record. Above concurrency 5 the node ' +
    'makes a block every 2.8 s; waiting dominates there, so that CPU time is what counts. *Bare exchanges* send and ' +
    'answer messages of the same sizes between as many programs, and do nothing else.',
  ratios: [perSecond, medianLatency, cpuTime],
  async run(bench) {
    const slices = [];
    for (const concurrency of bench.full ? [1, 5, 10, 100] : [1, 5]) {
      slices.push(...(await bench.scoped((inner) => at(inner, concurrency))));
    }
    return slices;
  },
};

async function at(bench: Bench, concurrency: number) {
  const paced = await nodeFor(bench, concurrency);
  const { node } = paced;
  const isInstant = hasInstantBlocks(concurrency);
  const operations = isInstant
    ? { ours: bench.full ? 600 : 100, stock: bench.full ? 120 : 20 }
    : sliceWithSlowBlocks(concurrency);
  const load = { concurrency, operations, verified: true, endpoint: 'settle' } as const;
  const bare = isInstant ? [await startBareFacilitator(bench)] : [];
  const facilitators = [...(await startFacilitators(bench, node)), ...bare];
  const sides = facilitators.map((facilitator) => facilitatorSide(paced, facilitator, load));
  return bench.compare({
    case: `concurrency ${concurrency}`,
    sides,
    ...(bench.full && { warmUpMs: WARM_UP_MS }),
    // With slow blocks a turn takes up to half a minute, and CPU times differ twofold between turns.
    rounds: bench.full ? (isInstant ? 15 : 7) : 2,
    nodeCalls: () => node.calls(),
  });
}
