import { setTimeout as sleep } from 'node:timers/promises';
import { signedGroups, submit } from '../market/groups.ts';
import type { LoadResult } from '../measure/load.ts';
import { startNode, type BenchNode } from '../market/node.ts';
import type { Bench, Scenario } from '../scenario.ts';

const TRANSACTIONS = 'transactions a second';

interface Submission {
  readonly name: string;
  readonly route: '/v2/transactions' | '/v2/transactions/async';
  /** Transactions of a group. */
  readonly size: number;
  readonly count: number;
  /** The end of the measured time: the last answer, or the confirmation of all, each group in a block of its own. */
  readonly until: 'answered' | 'confirmed';
}

const synchronous = { route: '/v2/transactions', until: 'answered' } as const;
const asynchronous = { route: '/v2/transactions/async', size: 1 } as const;

const A_BLOCK_EACH =
  'it counts until each transaction is confirmed in a block of its own; of the time to the answer, which is what a caller waits for, the row of those accepted tells.';

export const node: Scenario = {
  name: 'node',
  fullSeconds: 80,
  targets: [
    { case: 'synchronous', figure: TRANSACTIONS, kind: 'atLeast', wanted: 3000 },
    { case: 'accepted asynchronously', figure: TRANSACTIONS, kind: 'atLeast', wanted: 6000 },
    { case: 'asynchronous', figure: TRANSACTIONS, kind: 'atLeast', wanted: 6000, miss: A_BLOCK_EACH },
  ],
  async run(bench) {
    const instant = await bench.own(startNode('instant'));
    const manual = await bench.own(startNode('manual'));
    await measureSubmission(bench, instant, { name: 'synchronous', size: 1, count: 900, ...synchronous });
    await measureSubmission(bench, instant, {
      name: 'synchronous, groups of 16',
      size: 16,
      count: 120,
      ...synchronous,
    });
    await measureSubmission(bench, instant, { name: 'asynchronous', count: 900, until: 'confirmed', ...asynchronous });
    await measureSubmission(bench, manual, {
      name: 'accepted asynchronously',
      count: 5000,
      until: 'answered',
      ...asynchronous,
    });
  },
};

async function measureSubmission(bench: Bench, started: BenchNode, submission: Submission): Promise<void> {
  let groups: readonly Uint8Array[] = [];
  const prepare = async (): Promise<void> => {
    groups = await signedGroups(started, submission.size, submission.count);
  };
  const run = () => submitAll(started, groups, submission);
  const sides = [{ name: 'ours', pids: [], prepare, run }] as const;
  await bench.compare({ case: submission.name, sides, rounds: 15, warmUpMs: 8_000 });
}

async function submitAll(
  started: BenchNode,
  groups: readonly Uint8Array[],
  { route, size, until }: Submission,
): Promise<LoadResult> {
  const confirmed = (): Promise<number> => started.counter('algod_ledger_transactions_total');
  const before = await confirmed();
  const { lastRound } = await started.algod.status();
  const start = performance.now();
  const result = await submit(started, route, groups);
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
