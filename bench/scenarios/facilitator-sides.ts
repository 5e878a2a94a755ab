import type { Program } from '@avm402/stack/program';
import { startOurFacilitator, startStockFacilitator } from '../harness/facilitators.ts';
import type { Side } from '../harness/interleave.ts';
import { driveLoad, type LoadResult } from '../harness/load.ts';
import { startNode, type BenchNode } from '../harness/node.ts';
import { PacedBlocks } from '../harness/paced-blocks.ts';
import { payers } from '../harness/payers.ts';
import { MOST_PAYMENTS, paymentBodies } from '../harness/payments.ts';
import { encodePost, RawConnection } from '../harness/raw-connection.ts';
import type { Bench } from '../harness/scenario.ts';
import { startBareExchanges } from '../harness/servers.ts';
import { BARE, OURS, STOCK_BEST, STOCK_PUBLISHED } from './sides.ts';

/** Stock payments live ten rounds, so that many of them at once need blocks that take their time. */
const MOST_AT_ONCE_WITH_INSTANT_BLOCKS = 5;
/** Seconds between blocks on the public networks. */
export const BLOCK_SECONDS = 2.8;
/** In thousands of payments the compiler still finds something to do better. */
export const WARM_UP_MS = 30_000;
const HURRIED_BLOCK_SECONDS = 0.5;
const HURRIED_WORKERS = 50;
const MOST_WORKERS = 100;
const JSON_BODY = { 'Content-Type': 'application/json' };

export interface FacilitatorLoad {
  readonly concurrency: number;
  /** Payments of a slice, for ours and for stock. */
  readonly operations: { readonly ours: number; readonly stock: number };
  /** Whether the payments are verified before the clock starts, as a resource server does before it settles. */
  readonly verified: boolean;
  readonly endpoint: 'verify' | 'settle';
}

/** A node, and how fast its blocks come. */
export interface PacedNode {
  readonly node: BenchNode;
  /** As fast as stock's payments allow, which live ten rounds: for programs to warm up. */
  readonly hurry: () => void;
  /** As they are to come while programs are measured. */
  readonly slowDown: () => void;
}

/** Whether there is a block at once for every payment at this concurrency, or one every few seconds. */
export function hasInstantBlocks(concurrency: number): boolean {
  return concurrency <= MOST_AT_ONCE_WITH_INSTANT_BLOCKS;
}

/** Payments of a slice when blocks take their time: three blocks' worth of them, and enough to tell their CPU time. */
export function sliceWithSlowBlocks(concurrency: number): FacilitatorLoad['operations'] {
  const operations = Math.max(60, 3 * concurrency);
  return { ours: operations, stock: operations };
}

/** A node with the blocks that this concurrency asks for: instant ones, or as on the public networks. */
export async function nodeFor(bench: Bench, concurrency: number): Promise<PacedNode> {
  const isInstant = hasInstantBlocks(concurrency);
  const node = await bench.own(startNode({ blocks: isInstant ? 'instant' : 'manual', payers: MOST_WORKERS }));
  if (isInstant) return { node, hurry: () => {}, slowDown: () => {} };
  const blocks = await bench.own(Promise.resolve(new PacedBlocks(node.controls)));
  return {
    node,
    hurry: () => blocks.every(HURRIED_BLOCK_SECONDS),
    slowDown: () => blocks.every(BLOCK_SECONDS),
  };
}

/** How many work at once while programs warm up. */
export function workersOfWarmUp(concurrency: number): number {
  return hasInstantBlocks(concurrency) ? MOST_AT_ONCE_WITH_INSTANT_BLOCKS : HURRIED_WORKERS;
}

/** A facilitator that is asked to verify and settle. */
interface Facilitator {
  readonly name: string;
  readonly program: Program;
  readonly operations: keyof FacilitatorLoad['operations'];
  /** Its own stand-in for the node, if it has one. */
  readonly node?: Program;
}

/** The facilitators of a node: ours, and stock in both wirings. */
export async function startFacilitators(bench: Bench, node: BenchNode): Promise<Facilitator[]> {
  return [
    { name: OURS, operations: 'ours', program: await bench.own(startOurFacilitator(node)) },
    { name: STOCK_PUBLISHED, operations: 'stock', program: await bench.own(startStockFacilitator(node, 'published')) },
    { name: STOCK_BEST, operations: 'stock', program: await bench.own(startStockFacilitator(node, 'best')) },
  ];
}

/** The bare exchanges, on a stand-in for the node. */
export async function startBareFacilitator(bench: Bench): Promise<Facilitator> {
  const node = await bench.own(startBareExchanges('node', ''));
  const program = await bench.own(startBareExchanges('facilitator', node.url));
  return { name: BARE, operations: 'ours', program, node };
}

/** One facilitator under this load. */
export function facilitatorSide(
  { node, hurry, slowDown }: PacedNode,
  { name, operations, program, node: standIn }: Facilitator,
  load: FacilitatorLoad,
): Side {
  const count = Math.min(MOST_PAYMENTS, load.operations[operations]);
  let bodies: readonly string[] = [];
  const post = async (endpoint: 'verify' | 'settle', workers: number): Promise<LoadResult> => {
    const requests = bodies.map((body) => encodePost(`${program.url}/${endpoint}`, Buffer.from(body), JSON_BODY));
    const connections = await Promise.all(Array.from({ length: workers }, () => RawConnection.open(program.url)));
    const result = await driveLoad({
      workers,
      operations: requests.length,
      operate: ({ worker, index }) => expectGood(connections[worker], requests[index]),
    });
    for (const connection of connections) connection.close();
    return result;
  };
  const prepare = async (workers: number): Promise<void> => {
    bodies = await paymentBodies(node, payers(workers), count);
    if (load.verified) await post('verify', workers);
  };
  return {
    name,
    processes: { facilitator: program.pid, node: standIn?.pid ?? node.program.pid },
    own: standIn === undefined ? [program.pid] : [program.pid, standIn.pid],
    warmUp: async () => {
      hurry();
      const workers = workersOfWarmUp(load.concurrency);
      await prepare(workers);
      return post(load.endpoint, workers);
    },
    prepare: () => {
      slowDown();
      return prepare(load.concurrency);
    },
    run: () => post(load.endpoint, load.concurrency),
  };
}

async function expectGood(connection: RawConnection | undefined, request: Buffer | undefined): Promise<void> {
  if (connection === undefined || request === undefined) throw new TypeError('more operations than requests');
  const { status, bytes } = await connection.send(request);
  const { isValid, success, invalidReason, errorReason } = Object(JSON.parse(bytes.toString('utf8')));
  if (isValid === true || success === true) return;
  throw new Error(`HTTP ${status} ${String(invalidReason ?? errorReason ?? 'without a verdict')}`);
}
