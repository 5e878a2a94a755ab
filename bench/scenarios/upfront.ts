import { comparePurchases } from '../buying.ts';
import { RATE } from '../figures.ts';
import { openShopInOneProcess, PREEMPTING } from '../roles.ts';
import type { Scenario } from '../scenario.ts';

const THREE = 'three processes, concurrency';
const ONE = 'seller in one process, concurrency';

export const upfront: Scenario = {
  name: 'upfront',
  targets: [
    { case: `${THREE} 1`, figure: RATE, kind: 'times', wanted: 4 },
    { case: `${ONE} 1`, figure: RATE, kind: 'times', wanted: 5 },
  ],
  async run(bench) {
    const path = '/weather-upfront';
    const openOurs = openShopInOneProcess;
    for (const concurrency of bench.full ? [1, 5] : [1]) {
      await comparePurchases(bench, { case: `${THREE} ${concurrency}`, path, concurrency });
      await comparePurchases(bench, { case: `${ONE} ${concurrency}`, path, concurrency, openOurs });
    }
    const preempting = { path, concurrency: 1, ourClient: PREEMPTING };
    await comparePurchases(bench, { case: `${THREE} 1, preempting`, ...preempting });
    await comparePurchases(bench, { case: `${ONE} 1, preempting`, ...preempting, openOurs });
  },
};
