import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyRows } from '../copy-rows.ts';
import { postAll, type LoadResult } from '../load.ts';
import { startNode } from '../node.ts';
import { mustBeGood, paymentBodies } from '../payments.ts';
import { startFacilitator } from '../roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

export const growth: Scenario = {
  name: 'growth',
  title: 'Settlements as the store grows',
  method:
    'Sponsored payments are posted to `/settle` one after another, with instant blocks, by a facilitator whose SQLite ' +
    'store holds more and more settled payments.',
  targets: [],
  run: (bench) => growing(bench, bench.full ? [1000, 10_000, 100_000, 1_000_000] : [1000, 10_000]),
};

/** Settles payments on top of each of these counts of rows. */
export async function growing(bench: Bench, sizes: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  await bench.own(Promise.resolve({ stop: () => rm(folder, { recursive: true, force: true }) }));
  const store = join(folder, 'settlements.sqlite');
  const node = await bench.own(startNode('instant'));
  const slices = [];
  for (const rows of sizes) {
    const first = await startFacilitator('ours', node, store);
    await settle(first.url, await paymentBodies(node, 1, 1));
    await first.stop();
    copyRows(store, { table: 'settlements', key: 'tx_id', rows });
    const facilitator = await startFacilitator('ours', node, store);
    let bodies: readonly string[] = [];
    const prepare = async (): Promise<void> => {
      bodies = await paymentBodies(node, 1, bench.full ? 600 : 100);
    };
    const sides = [
      { name: 'ours', pids: [facilitator.pid], prepare, run: () => settle(facilitator.url, bodies) },
    ] as const;
    const [rounds, warmUpMs] = bench.full ? [5, 10_000] : [2, 500];
    slices.push(...(await bench.compare({ case: `${rows.toLocaleString('en-US')} rows`, sides, rounds, warmUpMs })));
    await facilitator.stop();
  }
  return slices;
}

function settle(url: string, bodies: readonly string[]): Promise<LoadResult> {
  const headers = { 'Content-Type': 'application/json' };
  return postAll({ url: `${url}/settle`, workers: 1, bodies, headers, check: mustBeGood });
}
