import { setTimeout as sleep } from 'node:timers/promises';
import { buyerSide, type Buying } from '../market/buying.ts';
import type { Side } from '../measure/compare.ts';
import { cpuBeside } from '../measure/cpu-beside.ts';
import { P50 } from '../measure/figures.ts';
import type { LoadResult } from '../measure/load.ts';
import { startNode } from '../market/node.ts';
import { MAKES, openShop } from '../market/roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

const WHY =
  'what is at risk is written before the answer leaves, and the answer as well; once the block is there, the facilitator is asked for the receipt: two writes and one exchange more than a payment that waits.';
const ONE = 'stock client, one buyer after another';
const HUNDRED = 'stock client, 100 buyers, each every 2.8 s';
const BESIDE = 'beside authorization';
const OF_AUTHORIZATION = '× CPU of authorization';
const BLOCK_MS = 2_800;

export const accepted: Scenario = {
  name: 'accepted',
  fullSeconds: 300,
  targets: [
    { case: ONE, figure: P50, kind: 'atMost', wanted: 25 },
    { case: HUNDRED, figure: P50, kind: 'atMost', wanted: 25 },
    { case: BESIDE, figure: OF_AUTHORIZATION, kind: 'atMost', wanted: 1.1, miss: WHY },
  ],
  async run(bench) {
    for (const concurrency of [1, 100]) await besideStock(bench, concurrency);
    await besideAuthorization(bench);
  },
};

async function besideStock(bench: Bench, concurrency: number): Promise<void> {
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
    sides.push(await buyerSide(bench, make, { ...buying, client: 'stock' }));
  }
  const name = concurrency === 1 ? ONE : HUNDRED;
  await bench.compare({ case: name, sides, rounds: 4, warmUpMs: 8_000, nodeCalls: node.calls });
}

/** The same buyers at the same shop, by either flow in turn. */
async function besideAuthorization(bench: Bench): Promise<void> {
  const node = await bench.own(startNode('slow'));
  const shop = await openShop(bench, 'ours', node);
  const buying: Omit<Buying, 'path'> = {
    environment: node.environment,
    shop,
    client: 'stock',
    workers: 100,
    requests: 200,
    // Those who wait for their block are answered before their next turn, so that requests come as evenly in either flow.
    paceMs: 2 * BLOCK_MS,
  };
  const early = await buyerSide(bench, 'ours', { ...buying, path: '/weather-accepted' });
  const ordinary = await buyerSide(bench, 'ours', { ...buying, path: '/weather' });
  const side = cpuBeside(OF_AUTHORIZATION, throughItsBlock(ordinary), throughItsBlock(early));
  const sides = [{ name: 'ours', ...side }] as const;
  await bench.compare({ case: BESIDE, sides, rounds: 4, warmUpMs: 20_000, nodeCalls: node.calls });
}

/** The work after an early answer counts, too: it is over soon after the block. */
function throughItsBlock({ pids, run }: Side): Pick<Side, 'pids' | 'run'> {
  const runThrough = async (): Promise<LoadResult> => {
    const result = await run();
    await sleep(1.5 * BLOCK_MS);
    return result;
  };
  return { pids, run: runThrough };
}
