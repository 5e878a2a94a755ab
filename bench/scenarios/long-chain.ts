import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnode } from '@avm402/devnode';
import * as programs from '@avm402/stack/programs';
import { P50 } from '../figures.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { runStart } from '../starting.ts';

export const longChain: Scenario = {
  name: 'long-chain',
  title: 'A chain that stays',
  method:
    'A node is started again on a directory (`--data`) with so many blocks, each of which changed a balance: from the ' +
    'start of its process to its first answer, and the memory that is resident half a second later. It keeps all blocks.',
  targets: [{ case: '100,000 blocks', figure: P50, kind: 'atMost', wanted: 3000 }],
  run: (bench) => restarting(bench, bench.full ? [100_000, 1_000_000] : [100_000]),
};

/** Starts a node again on each of these numbers of blocks. */
export async function restarting(bench: Bench, sizes: readonly number[]) {
  const data = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  await bench.own(Promise.resolve({ stop: () => rm(data, { recursive: true }) }));
  const start = () => programs.startNode('--quiet', '--data', data);
  const run = () => runStart({ path: '/health', start });
  const slices = [];
  for (const blocks of sizes) {
    await growTo(blocks, data);
    const what = {
      case: `${blocks.toLocaleString('en-US')} blocks`,
      sides: [{ name: 'ours', pids: [], run }],
    } as const;
    slices.push(...(await bench.compare({ ...what, rounds: bench.full ? 15 : 2, warmUpMs: 0 })));
  }
  return slices;
}

async function growTo(blocks: number, data: string): Promise<void> {
  const node = await startDevnode({ port: 0, data });
  while (node.latestRound < blocks) await node.fund(node.accounts.merchant.address, 1n);
  await node.stop();
}
