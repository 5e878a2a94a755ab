import { driveLoad, type LoadResult } from '../harness/load.ts';
import { startNode, type BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import { simulateBodies } from '../harness/payments.ts';
import { encodePost, RawConnection } from '../harness/raw-connection.ts';
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
  let requests: readonly Buffer[] = [];
  const prepare = async (): Promise<void> => {
    const groups = await signedGroups(started, payers(CONCURRENCY), submission);
    requests = groups.map((group) => encodePost(`${started.url}${route}`, group, headersFor(started, 'x-binary')));
  };
  const run = (): Promise<LoadResult> => submitAll(started, requests, submission);
  const slices = await bench.compare({
    case: `${how}, ${what}`,
    sides: [
      { name: OURS, processes: { node: started.program.pid }, warmUp: async () => prepare().then(run), prepare, run },
    ],
    rounds: bench.full ? 15 : 3,
  });
  return slices.map((slice) => ({
    ...slice,
    figures: { [TRANSACTIONS]: Math.round((slice.operations * size) / slice.seconds) },
  }));
}

function headersFor({ environment }: BenchNode, type: 'x-binary' | 'msgpack'): Record<string, string> {
  return { 'Content-Type': `application/${type}`, 'X-Algo-API-Token': environment.ALGOD_TOKEN };
}

/** Sends all requests over as many connections as work at once. */
async function sendAll(
  { url }: BenchNode,
  requests: readonly Buffer[],
  check: (status: number, text: string) => void,
): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: CONCURRENCY }, () => RawConnection.open(url)));
  const result = await driveLoad({
    workers: CONCURRENCY,
    operations: requests.length,
    operate: async ({ worker, index }) => {
      const answer = await connections[worker]?.send(requests[index] ?? Buffer.alloc(0));
      check(answer?.status ?? 0, answer?.bytes.toString('utf8') ?? '');
    },
  });
  for (const connection of connections) connection.close();
  return result;
}

async function submitAll(
  started: BenchNode,
  requests: readonly Buffer[],
  { route, size }: Submission,
): Promise<LoadResult> {
  const before = await started.confirmed();
  const { lastRound } = await started.algod.status();
  const start = performance.now();
  const result = await sendAll(started, requests, (status, text) => {
    if (status !== 200) throw new Error(`HTTP ${status} ${text}`);
  });
  // One request that waits, not many that ask: the node's time is measured. Each asynchronous group has a block of its own.
  if (route === '/v2/transactions/async') {
    await started.algod.waitForBlockAfter(lastRound + BigInt(result.operations) - 1n);
  }
  const seconds = (performance.now() - start) / 1000;
  const confirmed = (await started.confirmed()) - before;
  if (confirmed !== result.operations * size) throw new Error('not all transactions were confirmed');
  return { ...result, seconds };
}

/** Simulates the two transactions of a sponsored payment, as verifying one does. */
function simulating(bench: Bench, started: BenchNode) {
  let requests: readonly Buffer[] = [];
  const prepare = async (): Promise<void> => {
    const bodies = await simulateBodies(started, payers(CONCURRENCY), GROUPS);
    const url = `${started.url}/v2/transactions/simulate`;
    requests = bodies.map((body) => encodePost(url, body, headersFor(started, 'msgpack')));
  };
  const run = (): Promise<LoadResult> =>
    sendAll(started, requests, (status, text) => {
      if (status === 200 && !text.includes('failure-message')) return;
      throw new Error(`HTTP ${status} ${text.slice(0, 200)}`);
    });
  const processes = { node: started.program.pid };
  return bench.compare({
    case: 'simulate, a sponsored payment',
    sides: [{ name: OURS, processes, warmUp: async () => prepare().then(run), prepare, run }],
    rounds: bench.full ? 15 : 3,
  });
}
