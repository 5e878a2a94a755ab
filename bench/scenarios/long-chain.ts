import { startDevnode } from '@avm402/devnode';
import * as programs from '@avm402/stack/programs';
import { P50 } from '../measure/figures.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { startAndAsk } from './start-up.ts';

export const longChain: Scenario = {
  name: 'long-chain',
  fullSeconds: 110,
  targets: [{ case: '100,000 blocks', figure: P50, kind: 'atMost', wanted: 3000 }],
  run: (bench) => measureRestarts(bench, bench.full ? [100_000, 300_000] : [100_000]),
};

/** Starts a node again on each of these numbers of blocks, without `--archive` and with it. */
export async function measureRestarts(bench: Bench, sizes: readonly number[]): Promise<void> {
  const data = await bench.folder();
  for (const blocks of sizes) {
    await growTo(blocks, data);
    for (const flags of [[], ['--archive']]) {
      const run = () => startAndAsk('/health', () => programs.startNode('--quiet', '--data', data, ...flags));
      const name = [`${blocks.toLocaleString('en-US')} blocks`, ...flags].join(', ');
      await bench.compare({ case: name, sides: [{ name: 'ours', pids: [], run }], rounds: 9, warmUpMs: 0 });
    }
  }
}

async function growTo(blocks: number, data: string): Promise<void> {
  const node = await startDevnode({ port: 0, data });
  try {
    while (node.latestRound < blocks) await node.fund(node.accounts.merchant.address, 1n);
  } finally {
    await node.stop();
  }
}
