import { copyRows } from '../market/copy-rows.ts';
import { type BenchNode, startNode } from '../market/node.ts';
import { facilitatorSide, type Posting } from '../market/payments.ts';
import { startFacilitator } from '../market/roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

export const growth: Scenario = {
  name: 'growth',
  fullSeconds: 80,
  targets: [],
  run: (bench) => measureGrowth(bench, bench.full ? [1000, 10_000, 100_000, 1_000_000] : [1000, 10_000]),
};

/** Settles payments on top of each of these counts of rows. */
export async function measureGrowth(bench: Bench, sizes: readonly number[]): Promise<void> {
  const folder = await bench.folder();
  const node = await bench.own(startNode('instant'));
  const what: Posting = { node, workers: 1, count: bench.full ? 600 : 100, endpoints: ['settle'] };
  for (const rows of sizes) {
    await settleOne(node, folder);
    copyRows(`${folder}/settlements.sqlite`, { table: 'settlements', key: 'tx_id', rows });
    await using facilitator = await startFacilitator('ours', node, folder);
    const sides = [{ name: 'ours', ...facilitatorSide(facilitator, what) }] as const;
    await bench.compare({ case: `${rows.toLocaleString('en-US')} rows`, sides, rounds: 5, warmUpMs: 5_000 });
  }
}

/** Gives the store the row that is copied. */
async function settleOne(node: BenchNode, folder: string): Promise<void> {
  await using facilitator = await startFacilitator('ours', node, folder);
  const { prepare, run } = facilitatorSide(facilitator, { node, workers: 1, count: 1, endpoints: ['settle'] });
  await prepare?.();
  await run();
}
