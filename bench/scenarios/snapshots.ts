import { randomBytes } from 'node:crypto';
import { formatAddress } from '@avm402/algorand/address';
import { startDevnode } from '@avm402/devnode';
import { P50 } from '../measure/figures.ts';
import { timed } from '../measure/load.ts';
import type { Scenario } from '../scenario.ts';

const ACCOUNTS = 10_000;
const CASES = ['snapshot', 'revert', 'reset'] as const;

export const snapshots: Scenario = {
  name: 'snapshots',
  fullSeconds: 40,
  targets: CASES.map((name) => ({ case: name, figure: P50, kind: 'atMost', wanted: 1 })),
  async run(bench) {
    const node = await bench.own(startDevnode({ port: 0 }));
    const addresses = Array.from({ length: ACCOUNTS }, () => formatAddress(randomBytes(32)));
    const fundAll = async (): Promise<void> => {
      for (const address of addresses) await node.fund(address, 1_000_000n);
    };
    let taken = 0;
    const prepare = async (): Promise<void> => {
      await node.reset();
      await fundAll();
      taken = await node.snapshot();
      await fundAll();
    };
    const steps = { snapshot: () => node.snapshot(), revert: () => node.revert(taken), reset: () => node.reset() };
    for (const name of CASES) {
      const sides = [{ name: 'ours', pids: [], prepare, run: () => timed(steps[name]) }] as const;
      await bench.compare({ case: name, sides, rounds: 15, warmUpMs: 0 });
    }
  },
};
