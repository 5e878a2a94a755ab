import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '@avm402/stack/program';
import { P50 } from '../measure/figures.ts';
import { timed, type LoadResult } from '../measure/load.ts';
import { startNode, startNodeProgram } from '../market/node.ts';
import { MAKES, startFacilitator, startServer, type Make } from '../market/roles.ts';
import type { Scenario } from '../scenario.ts';

const AS_MANY_FILES =
  'Node loads each file by itself, and both have about as many: [decision 11](../docs/decisions/0011-few-files.md).';
const MEBIBYTE = 2 ** 20;
const PAGE_BYTES = 4096;

export const startUp: Scenario = {
  name: 'start-up',
  fullSeconds: 75,
  targets: [
    { case: 'node', figure: P50, kind: 'atMost', wanted: 300 },
    { case: 'facilitator', figure: P50, kind: 'times', wanted: 1 },
    { case: 'server', figure: P50, kind: 'times', wanted: 1, miss: AS_MANY_FILES },
  ],
  async run(bench) {
    const node = await bench.own(startNode('instant'));
    const { url } = await bench.own(startFacilitator('ours', node, await bench.folder()));
    const facilitator = async (make: Make) => startFacilitator(make, node, await bench.folder());
    const roles = [
      { role: 'node', path: '/health', makes: ['ours'], start: () => startNodeProgram('instant') },
      { role: 'facilitator', path: '/supported', makes: MAKES, start: facilitator },
      { role: 'server', path: '/free', makes: MAKES, start: (make: Make) => startServer(make, url) },
    ] as const;
    for (const { role, path, makes, start } of roles) {
      const sides = makes.map((make) => ({ name: make, pids: [], run: () => startAndAsk(path, () => start(make)) }));
      await bench.compare({ case: role, sides, rounds: 15, warmUpMs: 0 });
    }
  },
};

/** Measures a program from its start to its first answer, and the memory that is resident half a second later. */
export async function startAndAsk(path: string, start: () => Promise<Program>): Promise<LoadResult> {
  let program: Program | undefined;
  try {
    const measured = await timed(async () => {
      program = await start();
      const response = await fetch(`${program.url}${path}`);
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      await response.arrayBuffer();
    });
    await sleep(500);
    return { ...measured, figures: { 'resident MiB': residentBytes(program?.pid) / MEBIBYTE } };
  } finally {
    await program?.stop();
  }
}

/** The second field of proc_pid_statm(5): pages in memory. */
function residentBytes(pid = 0): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
}
