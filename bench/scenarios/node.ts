import { setTimeout as sleep } from 'node:timers/promises';
import { postAll } from '../load.ts';
import { startNode, type BenchNode } from '../node.ts';
import { signedGroups } from '../payments.ts';
import type { Bench, Scenario } from '../scenario.ts';

const TRANSACTIONS = 'transactions a second';
const CONCURRENCY = 16;

interface Submission {
  readonly name: string;
  readonly route: '/v2/transactions' | '/v2/transactions/async';
  /** Transactions of a group. */
  readonly size: number;
  readonly count: number;
  /** Until when time counts: the last answer, or the confirmation of all, each group in a block of its own. */
  readonly until: 'answered' | 'confirmed';
}

const synchronous = { route: '/v2/transactions', until: 'answered' } as const;
const submissions: readonly Submission[] = [
  { name: 'synchronous', size: 1, count: 900, ...synchronous },
  { name: 'synchronous, groups of 16', size: 16, count: 120, ...synchronous },
  { name: 'asynchronous', size: 1, count: 900, route: '/v2/transactions/async', until: 'confirmed' },
  { name: 'accepted asynchronously', size: 1, count: 5000, route: '/v2/transactions/async', until: 'answered' },
];

export const node: Scenario = {
  name: 'node',
  title: 'The embedded node',
  method:
    `Signed groups of transfers are submitted at concurrency ${CONCURRENCY} with instant blocks. Synchronous: until ` +
    'each is answered, and so confirmed. Asynchronous: until the last one is confirmed, each in a block of its own. ' +
    'Accepted asynchronously: until the last one is answered; the node makes no block meanwhile, and all are confirmed ' +
    'in the end, or the run fails. One process; a second one makes the load.',
  targets: [
    { case: 'synchronous', figure: TRANSACTIONS, kind: 'atLeast', wanted: 3000 },
    { case: 'accepted asynchronously', figure: TRANSACTIONS, kind: 'atLeast', wanted: 6000 },
    { case: 'asynchronous', figure: TRANSACTIONS, kind: 'atLeast', wanted: 6000 },
  ],
  async run(bench) {
    const instant = await bench.own(startNode('instant'));
    const manual = await bench.own(startNode('manual'));
    const slices = [];
    for (const submission of submissions) {
      const isAccepted = submission.route.endsWith('async') && submission.until === 'answered';
      slices.push(...(await submitting(bench, isAccepted ? manual : instant, submission)));
    }
    return slices;
  },
};

function submitting(bench: Bench, started: BenchNode, submission: Submission) {
  let groups: readonly Uint8Array[] = [];
  const prepare = async (): Promise<void> => {
    groups = await signedGroups(started, submission.size, submission.count);
  };
  const run = () => submitAll(started, groups, submission);
  const [rounds, warmUpMs] = bench.full ? [15, 20_000] : [2, 500];
  const sides = [{ name: 'ours', pids: [], prepare, run }] as const;
  return bench.compare({ case: submission.name, sides, rounds, warmUpMs });
}

async function submitAll(started: BenchNode, groups: readonly Uint8Array[], { route, size, until }: Submission) {
  const confirmed = (): Promise<number> => started.counter('algod_ledger_transactions_total');
  const before = await confirmed();
  const { lastRound } = await started.algod.status();
  const start = performance.now();
  const result = await postAll({
    url: `${started.url}${route}`,
    workers: CONCURRENCY,
    bodies: groups,
    headers: { 'Content-Type': 'application/x-binary', 'X-Algo-API-Token': started.environment.ALGOD_TOKEN },
    check: (status, text) => {
      if (status !== 200) throw new Error(`HTTP ${status} ${text}`);
    },
  });
  // One request that waits, not many that ask: the node's time is measured.
  if (until === 'confirmed') await started.algod.waitForBlockAfter(lastRound + BigInt(result.operations) - 1n);
  const seconds = (performance.now() - start) / 1000;
  if (until === 'answered' && route.endsWith('async')) {
    while ((await started.counter('algod_transaction_backlog_groups')) > 0) await sleep(10);
    await started.controls.mine(1);
  }
  if ((await confirmed()) !== before + result.operations * size) throw new Error('not all transactions were confirmed');
  return { ...result, seconds, figures: { [TRANSACTIONS]: (result.operations * size) / seconds } };
}
