import { fileURLToPath } from 'node:url';
import { installSize } from '../harness/install-size.ts';
import type { Scenario } from '../harness/scenario.ts';
import type { Slice } from '../harness/sample.ts';
import { OURS, STOCK_PUBLISHED } from './sides.ts';

/** What a user of each role installs. */
const roles = [
  { role: 'client', ours: ['@avm402/client'], stock: ['@x402/fetch', '@x402/avm'] },
  { role: 'server', ours: ['@avm402/server', '@avm402/avm'], stock: ['@x402/express', '@x402/avm'] },
  { role: 'facilitator', ours: ['@avm402/facilitator'], stock: ['@x402/core', '@x402/avm'] },
  { role: 'node', ours: ['@avm402/devnode'], stock: [] },
] as const;

const MEBIBYTE = 2 ** 20;

export const weight: Scenario = {
  name: 'weight',
  title: 'Size of an installation',
  method:
    'All files of what a role installs, with everything that it depends on, each package once. Of our packages what ' +
    'they publish. The stock facilitator also needs a web framework, which is not counted; ours has one.',
  ratios: [],
  async run() {
    const slices: Slice[] = [];
    for (const { role, ours, stock } of roles) {
      slices.push(await weigh(role, OURS, ours));
      if (stock.length > 0) slices.push(await weigh(role, STOCK_PUBLISHED, stock));
    }
    return slices;
  },
};

async function weigh(role: string, side: string, names: readonly string[]): Promise<Slice> {
  const { bytes, packages } = await installSize(names, fileURLToPath(import.meta.url));
  const figures = { MiB: Math.round((bytes / MEBIBYTE) * 100) / 100, packages };
  return { case: role, side, round: 1, operations: 1, errors: {}, seconds: 0, figures };
}
