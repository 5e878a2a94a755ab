import { copyRows } from '../copy-rows.ts';
import { startNode } from '../node.ts';
import { posting, type Posting } from '../payments.ts';
import { startFacilitator } from '../roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

export const growth: Scenario = {
  name: 'growth',
  fullSeconds: 80,
  targets: [],
  run: (bench) => growing(bench, bench.full ? [1000, 10_000, 100_000, 1_000_000] : [1000, 10_000]),
};

/** Settles payments on top of each of these counts of rows. */
export async function growing(bench: Bench, sizes: readonly number[]): Promise<void> {
  const folder = await bench.folder();
  const node = await bench.own(startNode('instant'));
  const what: Posting = { node, workers: 1, count: bench.full ? 600 : 100, endpoints: ['settle'] };
  for (const rows of sizes) {
    const first = await startFacilitator('ours', node, folder);
    const { prepare, run } = posting(first, { ...what, count: 1 });
    await prepare?.();
    await run();
    await first.stop();
    copyRows(`${folder}/settlements.sqlite`, { table: 'settlements', key: 'tx_id', rows });
    const facilitator = await startFacilitator('ours', node, folder);
    const sides = [{ name: 'ours', ...posting(facilitator, what) }] as const;
    await bench.compare({ case: `${rows.toLocaleString('en-US')} rows`, sides, rounds: 5, warmUpMs: 5_000 });
    await facilitator.stop();
  }
}
