import type { Bench, Scenario } from '../harness/scenario.ts';
import type { Slice } from '../harness/sample.ts';
import { hasInstantBlocks, nodeFor, sliceWithSlowBlocks } from './facilitator-sides.ts';
import { requestSide, startBare, startTrios, type RequestLoad, type Trio } from './request-sides.ts';
import { cpuTime, medianLatency, perSecond } from './sides.ts';

/** How long the stock client keeps parameters by default. Payments of ten rounds outlive it only with slow blocks. */
const KEEP_PARAMS_MS = 3000;
/** With a block for each payment: long enough for the two times that it asks for one payment. */
const KEEP_PARAMS_ONCE_MS = 10;
/** Ours gets faster for some ten thousand requests. */
const WARM_UP_MS = 60_000;

export const request: Scenario = {
  name: 'request',
  title: 'A whole paid request',
  method:
    '`GET /weather` by a paying fetch: 402, payment, verify, handler, settle, 200 with a receipt; `upfront` settles ' +
    'before the handler runs. Client, server and facilitator are processes of their own, all of one make; the node ' +
    'is the same. Above concurrency 5 the node makes a block every 2.8 s; waiting dominates there, so that CPU time ' +
    '(of client, server and facilitator) is what counts. *Preempt* is our client told to remember offers: it pays ' +
    'without asking for the 402 again. *Bare exchanges* are programs that send each other the same requests and ' +
    'answers and do nothing else: no signature, no check, no record, no ledger. In a full run all sides have worked for ' +
    'a minute before: the compiler keeps getting better at them for that long.',
  ratios: [perSecond, medianLatency, cpuTime],
  async run(bench) {
    const instant = await bench.scoped((inner) => compareAll(inner, [1, 5]));
    return bench.full ? [...instant, ...(await bench.scoped((inner) => compareAll(inner, [10, 100])))] : instant;
  },
};

/** A case, and those that take part. */
interface Case {
  readonly name: string;
  readonly path: RequestLoad['path'];
  readonly concurrency: number;
  readonly trios: readonly Trio[];
}

/** All cases with one kind of blocks, with the same programs: they warm up once. */
async function compareAll(bench: Bench, concurrencies: readonly number[]): Promise<Slice[]> {
  const most = Math.max(...concurrencies);
  const isInstant = hasInstantBlocks(most);
  const paced = await nodeFor(bench, most);
  const { node } = paced;
  const trios = await startTrios(bench, node, isInstant ? KEEP_PARAMS_ONCE_MS : KEEP_PARAMS_MS);
  const bare = isInstant ? [await startBare(bench)] : [];
  const cases: Case[] = concurrencies.map((concurrency) => ({
    name: `authorization, concurrency ${concurrency}`,
    path: '/weather',
    concurrency,
    trios: [...trios, ...bare],
  }));
  if (bench.full && isInstant) {
    for (const concurrency of concurrencies) {
      cases.push({ name: `upfront, concurrency ${concurrency}`, path: '/weather-upfront', concurrency, trios });
    }
  }
  const slices = [];
  for (const [index, each] of cases.entries()) {
    slices.push(
      ...(await bench.compare({
        case: each.name,
        sides: each.trios.map((trio) => requestSide(paced, trio, { ...each, operations: operationsOf(bench, each) })),
        ...(bench.full && { warmUpMs: index === 0 ? WARM_UP_MS : 0 }),
        // With slow blocks a turn takes up to half a minute.
        rounds: bench.full ? (isInstant ? 5 : 3) : 2,
        nodeCalls: () => node.calls(),
      })),
    );
  }
  return slices;
}

function operationsOf({ full }: Bench, { concurrency }: Case): RequestLoad['operations'] {
  if (!hasInstantBlocks(concurrency)) return sliceWithSlowBlocks(concurrency);
  return full ? { ours: 400, stock: 80 } : { ours: 100, stock: 20 };
}
