import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '@avm402/stack/program';
import type { Side } from '../compare.ts';
import { P50 } from '../figures.ts';
import { installedBytes } from '../installed-bytes.ts';
import { startNode, startNodeProgram } from '../node.ts';
import { MAKES, startFacilitator, startServer, type Make } from '../roles.ts';
import type { Scenario } from '../scenario.ts';

const MEBIBYTE = 2 ** 20;
const PAGE_BYTES = 4096;

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
        const installed = await installedBytes(packages[role][make]);
        sides.push(sideOf(make, { path, installed, start: () => start(make) }));
      }
      slices.push(...(await bench.compare({ case: role, sides, rounds: bench.full ? 15 : 2, warmUpMs: 0 })));
    }
    return slices;
  },
};

interface Starter {
  readonly path: string;
  readonly installed: number;
  readonly start: () => Promise<Program>;
}

function sideOf(name: Make, { path, installed, start }: Starter): Side {
  const run = async () => {
    const begin = performance.now();
    const program = await start();
    try {
      const response = await fetch(`${program.url}${path}`);
      await response.arrayBuffer();
      const ms = performance.now() - begin;
      await sleep(500);
      const errors = response.ok ? {} : { [`HTTP ${response.status}`]: 1 };
      const figures = {
        'resident MiB': residentBytes(program.pid) / MEBIBYTE,
        'installed MiB': installed / MEBIBYTE,
      };
      return { operations: 1, errors, seconds: ms / 1000, latenciesMs: [ms], figures };
    } finally {
      await program.stop();
    }
  };
  return { name, pids: [], run };
}

/** The second field of proc_pid_statm(5): pages in memory. */
function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
}
