import { buyerSide } from '../market/buying.ts';
import type { Side } from '../measure/compare.ts';
import { CPU, P50, RATE } from '../measure/figures.ts';
import { type Blocks, startNode } from '../market/node.ts';
import { BY_CHANNEL, openChannelShop, openShop } from '../market/roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

const WHY =
  'a bare request to Express, the write of the voucher to the disk, and two signatures are half of it; the rest is in small parts: [decision 7](../docs/decisions/0007-what-a-voucher-waits-for.md).';
const WHY_MANY =
  'buyer, seller and node share two cores, so the CPU time of a request decides: [decision 7](../docs/decisions/0007-what-a-voucher-waits-for.md).';
const ONE = 'instant blocks, concurrency 1';
const MANY = 'instant blocks, concurrency 32';
const SLOW = 'blocks of 2.8 s, concurrency 1';

export const channel: Scenario = {
  name: 'channel',
  fullSeconds: 180,
  targets: [
    { case: ONE, figure: RATE, kind: 'times', wanted: 30, miss: WHY },
    { case: ONE, figure: P50, kind: 'atMost', wanted: 1, miss: WHY },
    { case: ONE, figure: CPU, kind: 'atMost', wanted: 0.6, miss: WHY },
    { case: MANY, figure: RATE, kind: 'atLeast', wanted: 2500, miss: WHY_MANY },
    { case: SLOW, figure: P50, kind: 'atMost', wanted: 1, miss: WHY },
  ],
  async run(bench) {
    await compareChannels(bench, { name: ONE, blocks: 'each', workers: 1, besideStock: 80 });
    await compareChannels(bench, { name: MANY, blocks: 'instant', workers: 32 });
    await compareChannels(bench, { name: SLOW, blocks: 'slow', workers: 1, besideStock: 2 });
  },
};

interface Case {
  readonly name: string;
  readonly blocks: Blocks;
  readonly workers: number;
  /** Payments that stock makes in a slice; absent: it can't, with so many at once on blocks without a pause. */
  readonly besideStock?: number;
}

async function compareChannels(bench: Bench, { name, blocks, workers, besideStock }: Case): Promise<void> {
  const node = await bench.own(startNode(blocks));
  const shop = await openChannelShop(bench, node);
  const what = { path: '/weather', workers };
  const environment = { ...node.environment, ...BY_CHANNEL };
  // The channels are opened while it warms up.
  const sides: Side[] = [
    await buyerSide(bench, 'ours', { ...what, environment, shop, requests: bench.full ? 5_000 : 2_000 }),
  ];
  if (besideStock !== undefined) {
    const stock = await openShop(bench, 'stock', node);
    sides.push(await buyerSide(bench, 'stock', { ...what, environment, shop: stock, requests: besideStock }));
  }
  await bench.compare({ case: name, sides, rounds: 5, warmUpMs: 10_000, nodeCalls: node.calls });
}
