import { startDriver } from '../harness/driver.ts';
import { startOurFacilitator, startStockFacilitator } from '../harness/facilitators.ts';
import type { Side } from '../harness/interleave.ts';
import type { LoadResult } from '../harness/load.ts';
import type { BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import type { PaymentJob } from '../harness/payment-job.ts';
import type { Bench } from '../harness/scenario.ts';
import { type PacedNode, workersOfWarmUp } from './facilitator-sides.ts';
import { startBareExchanges, startOurServer, startStockServer } from '../harness/servers.ts';
import type { Wiring } from '../harness/wiring.ts';
import { BARE, OURS, OURS_PREEMPT, STOCK_BEST, STOCK_PUBLISHED } from './sides.ts';

export interface RequestLoad {
  /** `/weather` settles after the handler, `/weather-upfront` before. */
  readonly path: '/weather' | '/weather-upfront';
  readonly concurrency: number;
  /** Requests of a slice, for ours and for stock. */
  readonly operations: { readonly ours: number; readonly stock: number };
}

/** Client, server and facilitator of one make. */
export interface Trio {
  readonly name: string;
  readonly url: string;
  readonly operations: 'ours' | 'stock';
  readonly pids: { readonly client: number; readonly server: number; readonly facilitator: number };
  /** A stand-in for the node, if it does not use the node of all. */
  readonly nodePid?: number;
  readonly pay: (job: PaymentJob) => Promise<LoadResult>;
}

/** Starts client, server and facilitator of each side; all share the node. */
export async function startTrios(bench: Bench, node: BenchNode, keepParamsMs: number): Promise<readonly Trio[]> {
  return [
    await startOurs(bench, node, { name: OURS, preempt: false }),
    await startStock(bench, node, { name: STOCK_PUBLISHED, wiring: 'published', keepParamsMs }),
    await startStock(bench, node, { name: STOCK_BEST, wiring: 'best', keepParamsMs }),
    ...(bench.full ? [await startOurs(bench, node, { name: OURS_PREEMPT, preempt: true })] : []),
  ];
}

interface OurOptions {
  readonly name: string;
  readonly preempt: boolean;
}

async function startOurs(bench: Bench, node: BenchNode, { name, preempt }: OurOptions): Promise<Trio> {
  const facilitator = await bench.own(startOurFacilitator(node));
  const server = await bench.own(startOurServer(facilitator.url));
  const environment = { ...node.environment, PREEMPT: String(preempt) };
  const client = await bench.own(startDriver<PaymentJob, LoadResult>({ file: 'our-client.ts', environment }));
  const pids = { client: client.pid, server: server.pid, facilitator: facilitator.pid };
  return { name, url: server.url, operations: 'ours', pids, pay: (job) => client.run(job) };
}

interface StockOptions {
  readonly name: string;
  readonly wiring: Wiring;
  readonly keepParamsMs: number;
}

async function startStock(bench: Bench, node: BenchNode, { name, wiring, keepParamsMs }: StockOptions): Promise<Trio> {
  const facilitator = await bench.own(startStockFacilitator(node, wiring));
  const server = await bench.own(startStockServer(facilitator.url, wiring));
  const environment = { ...node.environment, WIRING: wiring, KEEP_PARAMS_MS: String(keepParamsMs) };
  const client = await bench.own(startDriver<PaymentJob, LoadResult>({ file: 'stock-client.ts', environment }));
  const pids = { client: client.pid, server: server.pid, facilitator: facilitator.pid };
  return { name, url: server.url, operations: 'stock', pids, pay: (job) => client.run(job) };
}

/** The bare exchanges, on a stand-in for the node. */
export async function startBare(bench: Bench): Promise<Trio> {
  const node = await bench.own(startBareExchanges('node', ''));
  const facilitator = await bench.own(startBareExchanges('facilitator', node.url));
  const server = await bench.own(startBareExchanges('server', facilitator.url));
  const client = await bench.own(startDriver<PaymentJob, LoadResult>({ file: 'bare-client.ts' }));
  const pids = { client: client.pid, server: server.pid, facilitator: facilitator.pid };
  return {
    name: BARE,
    url: server.url,
    operations: 'ours',
    pids,
    nodePid: node.pid,
    pay: (job) => client.run(job),
  };
}

/** One trio under this load; every worker pays from an account of its own. */
export function requestSide(
  { node, hurry, slowDown }: PacedNode,
  trio: Trio,
  { path, concurrency, operations }: RequestLoad,
): Side {
  const jobFor = (workers: number, count: number): PaymentJob => ({
    url: `${trio.url}${path}`,
    privateKeys: payers(workers).map(({ privateKey }) => privateKey),
    operations: count,
  });
  const count = operations[trio.operations];
  return {
    name: trio.name,
    processes: { ...trio.pids, node: trio.nodePid ?? node.program.pid },
    own: Object.values({ ...trio.pids, ...(trio.nodePid !== undefined && { node: trio.nodePid }) }),
    warmUp: () => {
      hurry();
      const workers = workersOfWarmUp(concurrency);
      return trio.pay(jobFor(workers, Math.max(count, 6 * workers)));
    },
    prepare: async () => slowDown(),
    run: () => trio.pay(jobFor(concurrency, count)),
  };
}
