import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '@avm402/stack/program';
import { startOurFacilitator, startStockFacilitator } from '../harness/facilitators.ts';
import type { Side } from '../harness/interleave.ts';
import { startNode, startNodeProgram } from '../harness/node.ts';
import { residentBytes } from '../harness/process-usage.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { startOurServer, startStockServer } from '../harness/servers.ts';
import { figure } from '../harness/ratio.ts';
import { medianLatency, OURS, STOCK_PUBLISHED } from './sides.ts';

const RESIDENT = 'resident MiB';
const MEBIBYTE = 2 ** 20;

export const startUp: Scenario = {
  name: 'start-up',
  title: 'Start and memory of each process',
  method:
    'From the start of a process to its first answer over HTTP, and the memory that is resident half a second later. ' +
    'The facilitators connect to the node before they answer, the servers ask the facilitator.',
  ratios: [
    { ...medianLatency, name: 'start' },
    { name: 'memory', measure: figure(RESIDENT), better: 'less' },
  ],
  async run(bench) {
    const node = await bench.own(startNode({ blocks: 'instant', payers: 0 }));
    const facilitator = await bench.own(startOurFacilitator(node));
    return [
      ...(await starting(bench, 'node', [{ name: OURS, path: '/health', start: () => startNodeProgram('instant') }])),
      ...(await starting(bench, 'facilitator', [
        { name: OURS, path: '/supported', start: () => startOurFacilitator(node) },
        { name: STOCK_PUBLISHED, path: '/supported', start: () => startStockFacilitator(node, 'published') },
      ])),
      ...(await starting(bench, 'server', [
        { name: OURS, path: '/free', start: () => startOurServer(facilitator.url) },
        { name: STOCK_PUBLISHED, path: '/free', start: () => startStockServer(facilitator.url, 'published') },
      ])),
    ];
  },
};

interface Starter {
  readonly name: string;
  readonly path: string;
  readonly start: () => Promise<Program>;
}

async function starting(bench: Bench, name: string, starters: readonly Starter[]) {
  const resident = new Map<string, number[]>();
  const sides = starters.map(({ name: side, path, start }): Side => ({
    name: side,
    processes: {},
    run: async () => {
      const begin = performance.now();
      const program = await start();
      try {
        const response = await fetch(`${program.url}${path}`);
        await response.arrayBuffer();
        const ms = performance.now() - begin;
        await sleep(500);
        resident.set(side, [...(resident.get(side) ?? []), residentBytes(program.pid) ?? Number.NaN]);
        const errors = response.ok ? {} : { [`HTTP ${response.status}`]: 1 };
        return { operations: 1, errors, seconds: ms / 1000, latenciesMs: [ms] };
      } finally {
        await program.stop();
      }
    },
  }));
  const slices = await bench.compare({ case: name, sides, rounds: bench.full ? 15 : 2 });
  return slices.map((slice) => {
    const bytes = resident.get(slice.side)?.[slice.round - 1] ?? Number.NaN;
    return { ...slice, figures: { [RESIDENT]: Math.round((bytes / MEBIBYTE) * 10) / 10 } };
  });
}
