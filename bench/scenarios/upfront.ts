import { comparePurchases } from '../market/buying.ts';
import { RATE } from '../measure/figures.ts';
import { openShopInOneProcess, PREEMPTING } from '../market/roles.ts';
import type { Scenario } from '../scenario.ts';

const WHY =
  'the 402, the payment, settle and three questions to the node wait for each other, and each is mostly HTTP and JSON: [decision 8](../docs/decisions/0008-what-an-upfront-payment-waits-for.md).';
const THREE = 'three processes, concurrency';
const ONE = 'seller in one process, concurrency';

export const upfront: Scenario = {
  name: 'upfront',
  fullSeconds: 270,
  targets: [
    { case: `${THREE} 1`, figure: RATE, kind: 'times', wanted: 4, miss: WHY },
    { case: `${ONE} 1`, figure: RATE, kind: 'times', wanted: 5, miss: WHY },
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
