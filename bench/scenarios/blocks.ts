import { createHttpClient, type HttpClient } from '../harness/http-client.ts';
import type { Side } from '../harness/interleave.ts';
import { startBlockClock, type BlockClock } from '../harness/block-clock.ts';
import { driveLoad, type LoadResult } from '../harness/load.ts';
import { startNode, type BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import { paymentBodies } from '../harness/payments.ts';
import { ascending, percentile } from '../harness/percentile.ts';
import { figure } from '../harness/ratio.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { BLOCK_SECONDS, startFacilitators } from './facilitator-sides.ts';
import { cpuTime } from './sides.ts';

const AFTER_BLOCK = 'p50 ms after its block';
const ROUNDS_USED = 'rounds used';

export const blocks: Scenario = {
  name: 'blocks',
  title: 'With blocks of 2.8 seconds',
  method:
    'Verified payments are posted to `/settle` all at once, 20 and then 500, each from a payer of its own. What counts ' +
    'is how long after its payment’s block a caller has the answer, and in how many rounds all of them fit.',
  ratios: [{ name: AFTER_BLOCK, measure: figure(AFTER_BLOCK), better: 'less' }, cpuTime],
  async run(bench) {
    const slices = [];
    for (const payments of bench.full ? [20, 500] : [20]) {
      slices.push(...(await bench.scoped((inner) => allAtOnce(inner, payments))));
    }
    return slices;
  },
};

/** What was seen of the payments of one slice. */
interface Seen {
  readonly afterBlockMs: number[];
  readonly rounds: Set<bigint>;
}

async function allAtOnce(bench: Bench, payments: number) {
  const node = await bench.own(startNode({ blocks: { everySeconds: BLOCK_SECONDS }, payers: payments }));
  const clock = await bench.own(startBlockClock(node.algod));
  const seenOf = new Map<string, Seen[]>();
  const sides = (await startFacilitators(bench, node)).map(({ name, program }): Side => {
    let bodies: readonly string[] = [];
    const prepare = async (): Promise<void> => {
      bodies = await paymentBodies(node, payers(payments), payments);
      await postAll(bodies, (client, body) => client.postJson(`${program.url}/verify`, body));
    };
    const run = async (): Promise<LoadResult> => {
      const seen = { afterBlockMs: [], rounds: new Set<bigint>() };
      seenOf.set(name, [...(seenOf.get(name) ?? []), seen]);
      return postAll(bodies, (client, body) => settle(client, `${program.url}/settle`, { body, node, clock, seen }));
    };
    return { name, processes: { facilitator: program.pid, node: node.program.pid }, own: [program.pid], prepare, run };
  });
  const slices = await bench.compare({
    case: `${payments} at once`,
    sides,
    rounds: bench.full ? 3 : 1,
    nodeCalls: () => node.calls(),
  });
  return slices.map((slice) => {
    const { afterBlockMs = [], rounds } = seenOf.get(slice.side)?.[slice.round - 1] ?? {};
    const figures = {
      [AFTER_BLOCK]: Math.round(percentile(ascending(afterBlockMs), 0.5) ?? Number.NaN),
      [ROUNDS_USED]: rounds?.size ?? Number.NaN,
    };
    return { ...slice, figures };
  });
}

async function postAll(
  bodies: readonly string[],
  send: (client: HttpClient, body: string) => Promise<unknown>,
): Promise<LoadResult> {
  const client = createHttpClient();
  const result = await driveLoad({
    workers: bodies.length,
    operations: bodies.length,
    operate: ({ index }) => send(client, bodies[index] ?? ''),
  });
  client.close();
  return result;
}

interface Settling {
  readonly body: string;
  readonly node: BenchNode;
  readonly clock: BlockClock;
  readonly seen: Seen;
}

async function settle(client: HttpClient, url: string, { body, node, clock, seen }: Settling): Promise<void> {
  const answer = await client.postJson(url, body);
  const answeredAt = performance.now();
  const { success, transaction, errorReason } = Object(answer.body);
  if (success !== true) throw new Error(`HTTP ${answer.status} ${String(errorReason)}`);
  const { confirmedRound = 0n } = (await node.algod.pendingTransaction(String(transaction))) ?? {};
  seen.rounds.add(confirmedRound);
  seen.afterBlockMs.push(answeredAt - (clock.seenAt(confirmedRound) ?? Number.NaN));
}
