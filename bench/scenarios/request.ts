import { comparePurchases } from '../market/buying.ts';
import { CPU, RATE } from '../measure/figures.ts';
import type { Scenario } from '../scenario.ts';

const AUTHORIZATION = 'authorization, concurrency';
const ROUND_TRIPS =
  'one request at a time waits for the round trips between the processes, which both sides make; its CPU time is less than a third of stock’s.';

export const request: Scenario = {
  name: 'request',
  fullSeconds: 300,
  targets: [
    { case: `${AUTHORIZATION} 1`, figure: RATE, kind: 'times', wanted: 3, miss: ROUND_TRIPS },
    { case: `${AUTHORIZATION} 5`, figure: RATE, kind: 'times', wanted: 3 },
    { case: `${AUTHORIZATION} 10`, figure: CPU, kind: 'times', wanted: 2.5 },
    { case: `${AUTHORIZATION} 100`, figure: CPU, kind: 'times', wanted: 2.5 },
  ],
  async run(bench) {
    for (const concurrency of bench.full ? [1, 5, 10, 100] : [1, 5]) {
      await comparePurchases(bench, { case: `${AUTHORIZATION} ${concurrency}`, path: '/weather', concurrency });
    }
  },
};
