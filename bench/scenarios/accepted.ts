import { buyer } from '../buying.ts';
import type { Side } from '../compare.ts';
import { P50 } from '../figures.ts';
import { startNode } from '../node.ts';
import { MAKES, openShop } from '../roles.ts';
import type { Scenario } from '../scenario.ts';

const ONE = 'stock client, one buyer after another';
const HUNDRED = 'stock client, 100 buyers, each every 2.8 s';
const BLOCK_MS = 2_800;

export const accepted: Scenario = {
  name: 'accepted',
  targets: [
    { case: ONE, figure: P50, kind: 'atMost', wanted: 25 },
    { case: HUNDRED, figure: P50, kind: 'atMost', wanted: 25 },
  ],
  async run(bench) {
    for (const concurrency of [1, 100]) {
      // Without a pause a hundred buyers would keep every processor busy, and what is measured would be the queue.
      const paceMs = concurrency === 1 ? 0 : BLOCK_MS;
      const node = await bench.own(startNode('slow'));
      const sides: Side[] = [];
      for (const make of MAKES) {
        const shop = await openShop(bench, make, node);
        const path = make === 'ours' ? '/weather-accepted' : '/weather';
        // Stock's requests wait for two blocks each.
        const requests = make === 'ours' ? Math.max(100, 3 * concurrency) : 2 * concurrency;
        const buying = { environment: node.environment, shop, path, workers: concurrency, requests, paceMs };
        sides.push(await buyer(bench, make, { ...buying, client: 'stock' }));
      }
      await bench.compare({
        case: concurrency === 1 ? ONE : HUNDRED,
        sides,
        rounds: 5,
        warmUpMs: 15_000,
        nodeCalls: node.calls,
      });
    }
  },
};
