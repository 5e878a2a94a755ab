import type { Program } from '@avm402/stack/program';
import { startOurFacilitator, startStockFacilitator } from '../harness/facilitators.ts';
import type { Side } from '../harness/interleave.ts';
import { driveLoad, type LoadResult } from '../harness/load.ts';
import { startNode, type BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import { MOST_PAYMENTS, paymentBodies } from '../harness/payments.ts';
import { createHttpClient, type HttpClient } from '../harness/http-client.ts';
import type { Bench } from '../harness/scenario.ts';
import { OURS, STOCK_BEST, STOCK_PUBLISHED } from './sides.ts';

/** Stock payments live ten rounds, so that many of them at once need blocks that take their time. */
const MOST_AT_ONCE_WITH_INSTANT_BLOCKS = 5;
/** Seconds between blocks on the public networks. */
export const BLOCK_SECONDS = 2.8;

export interface FacilitatorLoad {
  readonly concurrency: number;
  /** Payments of a slice, for ours and for stock. */
  readonly operations: { readonly ours: number; readonly stock: number };
  /** Whether the payments are verified before the clock starts, as a resource server does before it settles. */
  readonly verified: boolean;
  readonly endpoint: 'verify' | 'settle';
}

/** A node with the blocks that this concurrency asks for. */
export function nodeFor(bench: Bench, concurrency: number): Promise<BenchNode> {
  const isInstant = concurrency <= MOST_AT_ONCE_WITH_INSTANT_BLOCKS;
  const blocks = isInstant ? 'instant' : { everySeconds: BLOCK_SECONDS };
  return bench.own(startNode({ blocks, payers: concurrency }));
}

/** The facilitators of a node: ours, and stock in both wirings. */
export async function startFacilitators(bench: Bench, node: BenchNode) {
  return [
    { name: OURS, isOurs: true, program: await bench.own(startOurFacilitator(node)) },
    { name: STOCK_PUBLISHED, isOurs: false, program: await bench.own(startStockFacilitator(node, 'published')) },
    { name: STOCK_BEST, isOurs: false, program: await bench.own(startStockFacilitator(node, 'best')) },
  ] as const;
}

/** One facilitator under this load. */
export function facilitatorSide(
  node: BenchNode,
  { name, isOurs, program }: { name: string; isOurs: boolean; program: Program },
  load: FacilitatorLoad,
): Side {
  const accounts = payers(load.concurrency);
  const count = Math.min(MOST_PAYMENTS, isOurs ? load.operations.ours : load.operations.stock);
  let bodies: readonly string[] = [];
  const post = async (endpoint: 'verify' | 'settle'): Promise<LoadResult> => {
    const client = createHttpClient();
    const result = await driveLoad({
      workers: load.concurrency,
      operations: bodies.length,
      operate: ({ index }) => expectGood(client, `${program.url}/${endpoint}`, bodies[index] ?? ''),
    });
    client.close();
    return result;
  };
  const prepare = async (): Promise<void> => {
    bodies = await paymentBodies(node, accounts, count);
    if (load.verified) await post('verify');
  };
  return {
    name,
    processes: { facilitator: program.pid, node: node.program.pid },
    own: [program.pid],
    warmUp: async () => {
      await prepare();
      await post(load.endpoint);
    },
    prepare,
    run: () => post(load.endpoint),
  };
}

async function expectGood(client: HttpClient, url: string, body: string): Promise<void> {
  const answer = await client.postJson(url, body);
  const { isValid, success, invalidReason, errorReason } = Object(answer.body);
  if (isValid === true || success === true) return;
  throw new Error(`HTTP ${answer.status} ${String(invalidReason ?? errorReason ?? 'without a verdict')}`);
}
