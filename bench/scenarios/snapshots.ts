import { randomBytes } from 'node:crypto';
import { formatAddress } from '@avm402/algorand/address';
import { startDevnode, type Devnode } from '@avm402/devnode';
import { P50 } from '../figures.ts';
import type { LoadResult } from '../load.ts';
import type { Scenario } from '../scenario.ts';

const ACCOUNTS = 10_000;
const CASES = ['snapshot', 'revert', 'reset'] as const;

export const snapshots: Scenario = {
  name: 'snapshots',
  title: 'Going back',
  method:
    `A node in this process with ${ACCOUNTS.toLocaleString('en-US')} funded accounts takes a snapshot, changes each of them in a block of ` +
    'its own, and returns: to the snapshot, or to its start, as between two tests.',
  targets: CASES.map((name) => ({ case: name, figure: P50, kind: 'atMost', wanted: 1 })),
  async run(bench) {
    const node = await bench.own(startDevnode({ port: 0 }));
    const addresses = Array.from({ length: ACCOUNTS }, () => formatAddress(randomBytes(32)));
    const slices = [];
    for (const name of CASES) {
      let snapshot = 0;
      const steps = {
        snapshot: () => node.snapshot(),
        revert: () => node.revert(snapshot),
        reset: () => node.reset(),
      };
      const prepare = async (): Promise<void> => {
        await node.reset();
        await fundAll(node, addresses);
        snapshot = await node.snapshot();
        await fundAll(node, addresses);
      };
      const side = { name: 'ours', pids: [], prepare, run: () => timed(steps[name]) } as const;
      slices.push(...(await bench.compare({ case: name, sides: [side], rounds: bench.full ? 15 : 5, warmUpMs: 0 })));
    }
    return slices;
  },
};

async function fundAll(node: Devnode, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) await node.fund(address, 1_000_000n);
}

async function timed(step: () => Promise<unknown>): Promise<LoadResult> {
  const begin = performance.now();
  await step();
  const ms = performance.now() - begin;
  return { operations: 1, errors: {}, seconds: ms / 1000, latenciesMs: [ms] };
}
