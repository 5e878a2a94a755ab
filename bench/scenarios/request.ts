import type { Bench, Scenario } from '../harness/scenario.ts';
import { nodeFor } from './facilitator-sides.ts';
import { requestSide, startBare, startTrios, type RequestLoad, type Trio } from './request-sides.ts';
import { cpuTime, medianLatency, perSecond } from './sides.ts';

/** How long the stock client keeps parameters by default. Payments of ten rounds outlive it only with slow blocks. */
const KEEP_PARAMS_MS = 3000;

export const request: Scenario = {
  name: 'request',
  title: 'A whole paid request',
  method:
    '`GET /weather` by a paying fetch: 402, payment, verify, handler, settle, 200 with a receipt; `upfront` settles ' +
    'before the handler runs. Client, server and facilitator are processes of their own, all of one make; the node ' +
    'is the same. Above concurrency 5 the node makes a block every 2.8 s; waiting dominates there, so that CPU time ' +
    '(of client, server and facilitator) is what counts. *Preempt* is our client told to remember offers: it pays ' +
    'without asking for the 402 again. *Bare exchanges* are programs that send each other the same requests and ' +
    'answers and do nothing else: no signature, no check, no record, no ledger.',
  ratios: [perSecond, medianLatency, cpuTime],
  async run(bench) {
    const slices = [];
    for (const concurrency of bench.full ? [1, 5, 10, 100] : [1, 5]) {
      slices.push(...(await bench.scoped((inner) => at(inner, concurrency))));
    }
    return slices;
  },
};

interface Flow {
  readonly name: string;
  readonly path: RequestLoad['path'];
  readonly trios: readonly Trio[];
}

async function at(bench: Bench, concurrency: number) {
  const node = await nodeFor(bench, concurrency);
  const isInstant = concurrency <= 5;
  const operations = isInstant
    ? { ours: bench.full ? 300 : 150, stock: bench.full ? 60 : 30 }
    : { ours: 3 * concurrency, stock: 3 * concurrency };
  const trios = await startTrios(bench, node, isInstant ? 0 : KEEP_PARAMS_MS);
  const bare = isInstant ? [await startBare(bench)] : [];
  const flows: readonly Flow[] = [
    { name: 'authorization', path: '/weather', trios: [...trios, ...bare] },
    ...(bench.full && isInstant ? [{ name: 'upfront', path: '/weather-upfront', trios } as const] : []),
  ];
  const slices = [];
  for (const { name, path, trios: compared } of flows) {
    slices.push(
      ...(await bench.compare({
        case: `${name}, concurrency ${concurrency}`,
        sides: compared.map((trio) => requestSide(node, trio, { path, concurrency, operations })),
        // With slow blocks a turn takes up to half a minute.
        rounds: bench.full ? (isInstant ? 5 : 3) : 2,
        nodeCalls: () => node.calls(),
      })),
    );
  }
  return slices;
}
