import { P50 } from '../figures.ts';
import { installedBytes } from '../installed-bytes.ts';
import { startNode, startNodeProgram } from '../node.ts';
import { MAKES, startFacilitator, startServer, type Make } from '../roles.ts';
import type { Scenario } from '../scenario.ts';
import { MEBIBYTE, runStart } from '../starting.ts';

/** What each role installs, beside what a user would take instead; there is no stock facilitator program. */
const packages = {
  node: { ours: ['@avm402/devnode'], stock: [] },
  facilitator: { ours: ['@avm402/facilitator'], stock: ['@x402/core', '@x402/avm', 'express'] },
  server: { ours: ['@avm402/server', '@avm402/avm'], stock: ['@x402/express', '@x402/avm'] },
};

export const startUp: Scenario = {
  name: 'start-up',
  title: 'Start, memory and size',
  method:
    'From the start of a process to its first answer over HTTP, the memory that is resident half a second later, and ' +
    'the size of an installation with everything that it depends on, each package once. The facilitators connect to the ' +
    'node before they answer, the servers ask the facilitator.',
  targets: [{ case: 'node', figure: P50, kind: 'atMost', wanted: 300 }],
  async run(bench) {
    const node = await bench.own(startNode('instant'));
    const { url } = await bench.own(startFacilitator('ours', node));
    const roles = {
      node: { path: '/health', makes: ['ours'], start: () => startNodeProgram('instant') },
      facilitator: { path: '/supported', makes: MAKES, start: (make: Make) => startFacilitator(make, node) },
      server: { path: '/free', makes: MAKES, start: (make: Make) => startServer(make, url) },
    } as const;
    const slices = [];
    for (const role of ['node', 'facilitator', 'server'] as const) {
      const { path, makes, start } = roles[role];
      const sides = [];
      for (const make of makes) {
        const installed = { 'installed MiB': (await installedBytes(packages[role][make])) / MEBIBYTE };
        const run = async () => {
          const { figures, ...measured } = await runStart({ path, start: () => start(make) });
          return { ...measured, figures: { ...figures, ...installed } };
        };
        sides.push({ name: make, pids: [], run });
      }
      slices.push(...(await bench.compare({ case: role, sides, rounds: bench.full ? 15 : 2, warmUpMs: 0 })));
    }
    return slices;
  },
};
