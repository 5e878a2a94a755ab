import { driveLoad, type LoadResult } from '../harness/load.ts';
import { startNode, type BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import { simulateBodies } from '../harness/payments.ts';
import { createHttpClient } from '../harness/http-client.ts';
import { figure } from '../harness/ratio.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { signedGroups, type GroupOptions } from '../harness/transactions.ts';
import type { Slice } from '../harness/sample.ts';
import { OURS } from './sides.ts';

const TRANSACTIONS = 'transactions a second';
const CONCURRENCY = 16;
/** Groups of a slice: with instant blocks their validity of 1000 rounds allows no more. */
const GROUPS = 600;

export const node: Scenario = {
  name: 'node',
  title: 'The embedded node',
  method:
    `Signed groups are submitted at concurrency ${CONCURRENCY} with instant blocks. Synchronous: until each is ` +
    'answered, and so confirmed. Asynchronous: until the last one is confirmed. Simulate: the two transactions of a ' +
    'sponsored payment. One process, one core; a second one makes the load.',
  ratios: [],
  plot: { name: TRANSACTIONS, measure: figure(TRANSACTIONS) },
  async run(bench) {
    const started = await bench.own(startNode({ blocks: 'instant', payers: CONCURRENCY }));
    const slices: Slice[] = [];
    for (const shape of shapes) {
      slices.push(...(await submitting(bench, started, { ...shape, route: '/v2/transactions' })));
      slices.push(...(await submitting(bench, started, { ...shape, route: '/v2/transactions/async' })));
    }
    return [...slices, ...(await simulating(bench, started))];
  },
};

const shapes = [
  { kind: 'pay', size: 1, count: GROUPS },
  { kind: 'axfer', size: 1, count: GROUPS },
  { kind: 'axfer', size: 2, count: GROUPS },
  { kind: 'axfer', size: 16, count: 120 },
] as const satisfies readonly GroupOptions[];

interface Submission extends GroupOptions {
  readonly route: '/v2/transactions' | '/v2/transactions/async';
}

async function submitting(bench: Bench, started: BenchNode, submission: Submission) {
  const { kind, size, route } = submission;
  const how = route === '/v2/transactions' ? 'synchronous' : 'asynchronous';
  const what = size === 1 ? kind : `${kind}, groups of ${size}`;
  let groups: readonly Uint8Array[] = [];
  const prepare = async (): Promise<void> => {
    groups = await signedGroups(started, payers(CONCURRENCY), submission);
  };
  const run = (): Promise<LoadResult> => submitAll(started, groups, submission);
  const slices = await bench.compare({
    case: `${how}, ${what}`,
    sides: [
      { name: OURS, processes: { node: started.program.pid }, warmUp: async () => prepare().then(run), prepare, run },
    ],
    rounds: bench.full ? 25 : 5,
  });
  return slices.map((slice) => ({
    ...slice,
    figures: { [TRANSACTIONS]: Math.round((slice.operations * size) / slice.seconds) },
  }));
}

async function submitAll(
  started: BenchNode,
  groups: readonly Uint8Array[],
  { route, size }: Submission,
): Promise<LoadResult> {
  const headers = { 'Content-Type': 'application/x-binary', 'X-Algo-API-Token': started.environment.ALGOD_TOKEN };
  const client = createHttpClient();
  const before = await started.confirmed();
  const { lastRound } = await started.algod.status();
  const start = performance.now();
  const result = await driveLoad({
    workers: CONCURRENCY,
    operations: groups.length,
    operate: async ({ index }) => {
      const { status, bytes } = await client.post(`${started.url}${route}`, groups[index] ?? new Uint8Array(), headers);
      if (status !== 200) throw new Error(`HTTP ${status} ${bytes.toString('utf8')}`);
    },
  });
  // One request that waits, not many that ask: the node's time is measured. Each asynchronous group has a block of its own.
  if (route === '/v2/transactions/async') {
    await started.algod.waitForBlockAfter(lastRound + BigInt(result.operations) - 1n);
  }
  const seconds = (performance.now() - start) / 1000;
  client.close();
  const confirmed = (await started.confirmed()) - before;
  if (confirmed !== result.operations * size) throw new Error('not all transactions were confirmed');
  return { ...result, seconds };
}

/** Simulates the two transactions of a sponsored payment, as verifying one does. */
function simulating(bench: Bench, started: BenchNode) {
  let bodies: readonly Uint8Array[] = [];
  const prepare = async (): Promise<void> => {
    bodies = await simulateBodies(started, payers(CONCURRENCY), GROUPS);
  };
  const run = (): Promise<LoadResult> => simulateAll(started, bodies);
  const processes = { node: started.program.pid };
  return bench.compare({
    case: 'simulate, a sponsored payment',
    sides: [{ name: OURS, processes, warmUp: async () => prepare().then(run), prepare, run }],
    rounds: bench.full ? 25 : 5,
  });
}

async function simulateAll(started: BenchNode, bodies: readonly Uint8Array[]): Promise<LoadResult> {
  const headers = { 'Content-Type': 'application/msgpack', 'X-Algo-API-Token': started.environment.ALGOD_TOKEN };
  const client = createHttpClient();
  const result = await driveLoad({
    workers: CONCURRENCY,
    operations: bodies.length,
    operate: async ({ index }) => {
      const body = bodies[index] ?? new Uint8Array();
      const { status, bytes } = await client.post(`${started.url}/v2/transactions/simulate`, body, headers);
      const text = bytes.toString('utf8');
      if (status !== 200 || text.includes('failure-message')) throw new Error(`HTTP ${status} ${text.slice(0, 200)}`);
    },
  });
  client.close();
  return result;
}
