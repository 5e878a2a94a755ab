import { TESTNET } from '@avm402/algorand/networks';
import type { Program } from '@avm402/stack/program';
import { startOurFacilitator } from '../harness/facilitators.ts';
import { createHttpClient, type HttpClient } from '../harness/http-client.ts';
import type { Side } from '../harness/interleave.ts';
import { driveLoad, type LoadResult } from '../harness/load.ts';
import { merchant, startNode, type BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import { paymentBodies } from '../harness/payments.ts';
import { startPostgres, type Postgres } from '../harness/postgres.ts';
import { cpuPerOperation } from '../harness/ratio.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';

const CONCURRENCY = 5;
const PRICE = 10_000n;
const ROUND_TRIPS = 'database round trips';

export const replicas: Scenario = {
  name: 'replicas',
  title: 'Replicas of the facilitator on one PostgreSQL',
  method:
    `Payments are settled at concurrency ${CONCURRENCY}, each at the next replica in turn, with instant blocks. "Twice": ` +
    'each is sent to two replicas at once under different keys; exactly one may succeed, and the seller’s balance ' +
    'must grow by exactly that. Two cores carry node, database, replicas and load, so that more replicas can only ' +
    'cost here: the table proves correctness and shows the cost, not the scaling.',
  ratios: [],
  plot: { name: 'CPU ms of all replicas', measure: cpuPerOperation(['replicas']) },
  async run(bench) {
    const slices = [];
    for (const count of bench.full ? [1, 2, 4] : [1, 2])
      slices.push(...(await bench.scoped((inner) => together(inner, count))));
    return slices;
  },
};

interface Setting {
  readonly node: BenchNode;
  readonly database: Postgres;
  readonly programs: readonly Program[];
}

async function together(bench: Bench, count: number) {
  const node = await bench.own(startNode({ blocks: 'instant', payers: CONCURRENCY }));
  const database = await bench.own(startPostgres());
  const programs: Program[] = [];
  for (let index = 0; index < count; index++) {
    programs.push(await bench.own(startOurFacilitator(node, { DATABASE_URL: database.url })));
  }
  const setting = { node, database, programs };
  const rounds = bench.full ? 7 : 1;
  return [
    ...(await settling(bench, setting, { once: true, rounds })),
    ...(await settling(bench, setting, { once: false, rounds: 1 })),
  ];
}

interface How {
  /** Each payment at one replica, or at two of them at the same time. */
  readonly once: boolean;
  readonly rounds: number;
}

async function settling(bench: Bench, setting: Setting, { once, rounds }: How) {
  const { node, database, programs } = setting;
  const roundTrips: number[] = [];
  let bodies: readonly string[] = [];
  const prepare = async (): Promise<void> => {
    bodies = await paymentBodies(node, payers(CONCURRENCY), 200);
  };
  const run = async (): Promise<LoadResult> => {
    const before = { statements: await database.statements(), balance: await balance(node) };
    const result = await settleAll(programs, bodies, once);
    roundTrips.push(((await database.statements()) - before.statements) / result.operations);
    const received = (await balance(node)) - before.balance;
    const isExact = received === PRICE * BigInt(result.operations);
    return isExact ? result : { ...result, errors: { ...result.errors, 'the seller received another amount': 1 } };
  };
  const pids = Object.fromEntries(programs.map(({ pid }, index) => [`replica ${index + 1}`, pid]));
  const side: Side = { name: 'ours', processes: { ...pids, node: node.program.pid }, prepare, run };
  const name = `${programs.length} ${programs.length === 1 ? 'replica' : 'replicas'}${once ? '' : ', each payment twice'}`;
  const slices = await bench.compare({ case: name, sides: [side], rounds });
  return slices.map((slice) => ({
    ...slice,
    // All replicas together are what a payment costs.
    cpuMs: { replicas: sumOfReplicas(slice.cpuMs), node: slice.cpuMs?.['node'] ?? Number.NaN },
    figures: { [ROUND_TRIPS]: Math.round((roundTrips[slice.round - 1] ?? Number.NaN) * 100) / 100 },
  }));
}

function sumOfReplicas(cpuMs: Readonly<Record<string, number>> = {}): number {
  return Object.entries(cpuMs)
    .filter(([role]) => role !== 'node')
    .reduce((sum, [, ms]) => sum + ms, 0);
}

async function balance({ algod }: BenchNode): Promise<bigint> {
  return (await algod.accountAsset(merchant.address, TESTNET.usdcAssetId))?.amount ?? 0n;
}

async function settleAll(programs: readonly Program[], bodies: readonly string[], once: boolean): Promise<LoadResult> {
  const client = createHttpClient();
  const urlOf = (index: number): string => programs[index % programs.length]?.url ?? '';
  const result = await driveLoad({
    workers: CONCURRENCY,
    operations: bodies.length,
    operate: async ({ index }) => {
      const places = once ? [urlOf(index)] : [urlOf(index), urlOf(index + 1)];
      const calls = places.map((url, call) =>
        settle(client, url, { body: bodies[index] ?? '', key: `${index} of call ${call}` }),
      );
      const outcomes = await Promise.all(calls);
      const settled = outcomes.filter((outcome) => outcome === 'settled').length;
      const refused = outcomes.filter((outcome) => outcome === 'duplicate_settlement').length;
      if (settled !== 1 || settled + refused !== places.length) throw new Error(outcomes.join(' and '));
    },
  });
  client.close();
  return result;
}

async function settle(
  client: HttpClient,
  url: string,
  { body, key }: { readonly body: string; readonly key: string },
): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key.padEnd(16, '.') };
  const { status, bytes } = await client.post(`${url}/settle`, Buffer.from(body), headers);
  const { success, errorReason } = Object(JSON.parse(bytes.toString('utf8')));
  return success === true ? 'settled' : String(errorReason ?? `HTTP ${status}`);
}
