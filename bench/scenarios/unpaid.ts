import { get, Agent } from 'node:http';
import type { Program } from '@avm402/stack/program';
import { startOurFacilitator } from '../harness/facilitators.ts';
import type { Side } from '../harness/interleave.ts';
import { driveLoad } from '../harness/load.ts';
import { startNode } from '../harness/node.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { startBareServer, startOurServer, startStockServer } from '../harness/servers.ts';
import { cpuTime, OURS, perSecond, STOCK_BEST } from './sides.ts';

const CONCURRENCY = 10;
const agent = new Agent({ keepAlive: true });

export const unpaid: Scenario = {
  name: 'unpaid',
  title: 'What the middleware costs those who do not pay',
  method:
    'Requests without payment at concurrency 10: a priced route answered with 402 and its offer, and a free route of ' +
    'the same application; beside them the same Express application without any middleware. Both servers ask our ' +
    'facilitator what is supported.',
  ratios: [perSecond, cpuTime],
  async run(bench) {
    const node = await bench.own(startNode({ blocks: 'instant', payers: 0 }));
    const facilitator = await bench.own(startOurFacilitator(node));
    const servers = [
      { name: OURS, program: await bench.own(startOurServer(facilitator.url)) },
      { name: STOCK_BEST, program: await bench.own(startStockServer(facilitator.url, 'best')) },
    ];
    const bare = { name: 'no middleware', program: await bench.own(startBareServer()) };
    return [
      ...(await asking(bench, 'priced route, 402', { path: '/weather', status: 402, servers })),
      ...(await asking(bench, 'free route', { path: '/free', status: 200, servers: [...servers, bare] })),
    ];
  },
};

interface Question {
  readonly path: string;
  readonly status: number;
  readonly servers: readonly { readonly name: string; readonly program: Program }[];
}

function asking(bench: Bench, name: string, { path, status, servers }: Question) {
  const sides = servers.map(({ name: side, program }): Side => {
    const run = (operations: number) => () =>
      driveLoad({
        workers: CONCURRENCY,
        operations,
        operate: async () => {
          const answered = await statusOf(`${program.url}${path}`);
          if (answered !== status) throw new Error(`HTTP ${answered}`);
        },
      });
    return { name: side, processes: { server: program.pid }, own: [program.pid], warmUp: run(3000), run: run(5000) };
  });
  return bench.compare({ case: name, sides, rounds: bench.full ? 9 : 3 });
}

/** Reads the whole answer. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent }, (response) => {
      response.resume().once('error', reject);
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
  });
}
