import type { Program } from '@avm402/stack/program';
import { startOurFacilitator } from '../harness/facilitators.ts';
import { createHttpClient } from '../harness/http-client.ts';
import type { Side } from '../harness/interleave.ts';
import { driveLoad } from '../harness/load.ts';
import { startNode } from '../harness/node.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { startBareServer, startOurServer, startStockServer } from '../harness/servers.ts';
import { cpuTime, OURS, perSecond, STOCK_BEST } from './sides.ts';

const CONCURRENCY = 10;

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
    const run = (operations: number) => async () => {
      const client = createHttpClient();
      const result = await driveLoad({
        workers: CONCURRENCY,
        operations,
        operate: async () => {
          const answer = await client.get(`${program.url}${path}`);
          if (answer.status !== status) throw new Error(`HTTP ${answer.status}`);
        },
      });
      client.close();
      return result;
    };
    return { name: side, processes: { server: program.pid }, own: [program.pid], warmUp: run(3000), run: run(5000) };
  });
  return bench.compare({ case: name, sides, rounds: bench.full ? 9 : 2 });
}
