import { setTimeout as sleep } from 'node:timers/promises';
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
const GROUPS = 900;
/** Groups of a slice of a node that makes no block meanwhile. Its backlog holds 26,000. */
const ACCEPTED_GROUPS = 5000;
/** The node, as the others, gets faster for some ten thousand requests. */
const WARM_UP_MS = 20_000;

export const node: Scenario = {
  name: 'node',
  title: 'The embedded node',
  method:
    `Signed groups are submitted at concurrency ${CONCURRENCY} with instant blocks. Synchronous: until each is ` +
    'answered, and so confirmed. Asynchronous: until the last one is confirmed, each in a block of its own. Accepted ' +
    'asynchronously: until the last one is answered, which is what asynchronous submission promises; the node checks ' +
    'them meanwhile, and makes no block; all are confirmed in the end, or the slice counts as failed. Simulate: the ' +
    'two transactions of a sponsored payment. One process; a second one makes the load.',
  ratios: [],
  plot: { name: TRANSACTIONS, measure: figure(TRANSACTIONS) },
  async run(bench) {
    const instant = await bench.scoped(async (inner) => {
      const started = await inner.own(startNode({ blocks: 'instant', payers: CONCURRENCY }));
      const slices: Slice[] = [];
      for (const shape of shapes) {
        slices.push(...(await submitting(inner, started, { ...shape, route: SYNCHRONOUS })));
        slices.push(...(await submitting(inner, started, { ...shape, route: ASYNCHRONOUS })));
      }
      return [...slices, ...(await simulating(inner, started))];
    });
    return [...instant, ...(await bench.scoped(accepting))];
  },
};

const SYNCHRONOUS = '/v2/transactions';
const ASYNCHRONOUS = '/v2/transactions/async';

const shapes = [
  { kind: 'pay', size: 1, count: GROUPS },
  { kind: 'axfer', size: 1, count: GROUPS },
  { kind: 'axfer', size: 2, count: GROUPS },
  { kind: 'axfer', size: 16, count: 120 },
] as const satisfies readonly GroupOptions[];

interface Submission extends GroupOptions {
  readonly route: typeof SYNCHRONOUS | typeof ASYNCHRONOUS;
}

async function submitting(bench: Bench, started: BenchNode, submission: Submission) {
  const { kind, size, route } = submission;
  const how = route === SYNCHRONOUS ? 'synchronous' : 'asynchronous';
  const what = size === 1 ? kind : `${kind}, groups of ${size}`;
  const run = (volley: Volley): Promise<LoadResult> => submitAll(started, volley, submission);
  const slices = await measured(bench, started, {
    name: `${how}, ${what}`,
    prepare: () => submissions(started, submission),
    run,
  });
  return slices.map((slice) => withTransactions(slice, size));
}

/** Asynchronous submission by what it promises: an answer. */
async function accepting(bench: Bench): Promise<Slice[]> {
  const started = await bench.own(startNode({ blocks: 'manual', payers: CONCURRENCY }));
  const submission = { kind: 'axfer', size: 1, count: ACCEPTED_GROUPS, route: ASYNCHRONOUS } as const;
  const slices = await measured(bench, started, {
    name: 'accepted asynchronously, axfer',
    prepare: () => submissions(started, submission),
    run: async (volley) => {
      const before = await started.confirmed();
      const result = await sendAll(volley, mustBeTaken);
      while ((await started.backlog()) > 0) await sleep(10);
      await started.controls.mine(1);
      await mustBeConfirmed(started, before + result.operations);
      return result;
    },
  });
  return slices.map((slice) => withTransactions(slice, 1));
}

function withTransactions(slice: Slice, size: number): Slice {
  return { ...slice, figures: { [TRANSACTIONS]: Math.round((slice.operations * size) / slice.seconds) } };
}

interface Measured {
  readonly name: string;
  readonly prepare: () => Promise<Volley>;
  readonly run: (volley: Volley) => Promise<LoadResult>;
}

function measured(bench: Bench, { program }: BenchNode, { name, prepare, run }: Measured): Promise<Slice[]> {
  let volley: Promise<Volley> | undefined;
  const ready = async (): Promise<void> => void (await (volley = prepare()));
  const fire = async (): Promise<LoadResult> => run(await (volley ?? prepare()));
  return bench.compare({
    case: name,
    sides: [
      { name: OURS, processes: { node: program.pid }, warmUp: () => ready().then(fire), prepare: ready, run: fire },
    ],
    rounds: bench.full ? 15 : 2,
    ...(bench.full && { warmUpMs: WARM_UP_MS }),
  });
}

/** Encoded requests, and as many open connections for them as work at once. */
interface Volley {
  readonly requests: readonly Buffer[];
  readonly connections: readonly RawConnection[];
}

interface VolleyOptions {
  readonly path: string;
  readonly type: 'x-binary' | 'msgpack';
  readonly bodies: readonly Uint8Array[];
}

async function volleyOf({ url, environment }: BenchNode, { path, type, bodies }: VolleyOptions): Promise<Volley> {
  const headers = { 'Content-Type': `application/${type}`, 'X-Algo-API-Token': environment.ALGOD_TOKEN };
  return {
    requests: bodies.map((body) => encodePost(`${url}${path}`, body, headers)),
    connections: await Promise.all(Array.from({ length: CONCURRENCY }, () => RawConnection.open(url))),
  };
}

async function submissions(started: BenchNode, submission: Submission): Promise<Volley> {
  const bodies = await signedGroups(started, payers(CONCURRENCY), submission);
  return volleyOf(started, { path: submission.route, type: 'x-binary', bodies });
}

async function sendAll(
  { requests, connections }: Volley,
  check: (status: number, text: string) => void,
): Promise<LoadResult> {
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

function mustBeTaken(status: number, text: string): void {
  if (status !== 200) throw new Error(`HTTP ${status} ${text}`);
}

async function mustBeConfirmed(started: BenchNode, transactions: number): Promise<void> {
  if ((await started.confirmed()) !== transactions) throw new Error('not all transactions were confirmed');
}

async function submitAll(started: BenchNode, volley: Volley, { route, size }: Submission): Promise<LoadResult> {
  const before = await started.confirmed();
  const { lastRound } = await started.algod.status();
  const start = performance.now();
  const result = await sendAll(volley, mustBeTaken);
  // One request that waits, not many that ask: the node's time is measured. Each asynchronous group has a block of its own.
  if (route === ASYNCHRONOUS) await started.algod.waitForBlockAfter(lastRound + BigInt(result.operations) - 1n);
  const seconds = (performance.now() - start) / 1000;
  await mustBeConfirmed(started, before + result.operations * size);
  return { ...result, seconds };
}

/** Simulates the two transactions of a sponsored payment, as verifying one does. */
function simulating(bench: Bench, started: BenchNode) {
  return measured(bench, started, {
    name: 'simulate, a sponsored payment',
    prepare: async () => {
      const bodies = await simulateBodies(started, payers(CONCURRENCY), GROUPS);
      return volleyOf(started, { path: '/v2/transactions/simulate', type: 'msgpack', bodies });
    },
    run: (volley) =>
      sendAll(volley, (status, text) => {
        if (status === 200 && !text.includes('failure-message')) return;
        throw new Error(`HTTP ${status} ${text.slice(0, 200)}`);
      }),
  });
}
