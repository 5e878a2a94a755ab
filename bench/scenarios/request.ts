import { comparePurchases } from '../buying.ts';
import { CPU, RATE } from '../figures.ts';
import type { Scenario } from '../scenario.ts';

const AUTHORIZATION = 'authorization, concurrency';
const FASTER_MACHINE =
  'on the machine of the run before, whose processor is half as fast, it was met (3.1, 4.3 and 2.8 times): a faster one shortens what stock computes, and not the round trips that both make.';

export const request: Scenario = {
  name: 'request',
  fullSeconds: 300,
  targets: [
    { case: `${AUTHORIZATION} 1`, figure: RATE, kind: 'times', wanted: 3, miss: FASTER_MACHINE },
    { case: `${AUTHORIZATION} 5`, figure: RATE, kind: 'times', wanted: 3, miss: FASTER_MACHINE },
    { case: `${AUTHORIZATION} 10`, figure: CPU, kind: 'times', wanted: 2.5, miss: FASTER_MACHINE },
    { case: `${AUTHORIZATION} 100`, figure: CPU, kind: 'times', wanted: 2.5 },
  ],
  async run(bench) {
    for (const concurrency of bench.full ? [1, 5, 10, 100] : [1, 5]) {
      await comparePurchases(bench, { case: `${AUTHORIZATION} ${concurrency}`, path: '/weather', concurrency });
    }
  },
};
