import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAddress } from '@avm402/algorand/address';
import { createHttpClient } from '../harness/http-client.ts';
import { driveLoad, type LoadResult } from '../harness/load.ts';
import { startNode, type BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import { residentBytes } from '../harness/process-usage.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { signedGroups } from '../harness/transactions.ts';
import { OURS } from './sides.ts';

const CONCURRENCY = 16;
const GROUP = 16;
const GROUPS_A_TURN = 125;
const ROUNDS_A_TURN = 10_000;
const MEBIBYTE = 2 ** 20;
/** Until garbage of the work before is collected, or at least known. */
const REST_MS = 2000;

export const nodeMemory: Scenario = {
  name: 'node-memory',
  title: 'Memory of the embedded node',
  method:
    'Resident memory after a rest, as accounts are made by payments in groups of 16, and as empty blocks are made. ' +
    'Each row is measured on top of the one before.',
  ratios: [],
  async run(bench) {
    const node = await bench.own(startNode({ blocks: 'instant', payers: CONCURRENCY }));
    const { accounts, blocks } = bench.full
      ? { accounts: 100_000, blocks: 100_000 }
      : { accounts: 10_000, blocks: 10_000 };
    return [
      ...(await measured(bench, node, { name: 'at the start', run: async () => nothing })),
      ...(await measured(bench, node, {
        name: `${accounts.toLocaleString('en-US')} accounts more`,
        run: () => makeAccounts(node, accounts),
      })),
      ...(await measured(bench, node, {
        name: `${blocks.toLocaleString('en-US')} blocks more`,
        run: () => makeBlocks(node, blocks),
      })),
    ];
  },
};

const nothing: LoadResult = { operations: 1, errors: {}, seconds: 0, latenciesMs: [] };

interface Growth {
  readonly name: string;
  readonly run: () => Promise<LoadResult>;
}

async function measured(bench: Bench, node: BenchNode, { name, run }: Growth) {
  const slices = await bench.compare({ case: name, sides: [{ name: OURS, processes: {}, run }], rounds: 1 });
  await sleep(REST_MS);
  const resident = Math.round((residentBytes(node.program.pid) ?? Number.NaN) / MEBIBYTE);
  return slices.map((slice) => ({ ...slice, figures: { 'resident MiB': resident } }));
}

async function makeAccounts(node: BenchNode, count: number): Promise<LoadResult> {
  const start = performance.now();
  for (let made = 0; made < count; made += GROUP * GROUPS_A_TURN) {
    const groups = await signedGroups(node, payers(CONCURRENCY), {
      kind: 'pay',
      size: GROUP,
      count: Math.min(GROUPS_A_TURN, Math.ceil((count - made) / GROUP)),
      receiverOf: (transaction) => newAddress(made + transaction),
    });
    const { errors } = await submitAll(node, groups);
    if (Object.keys(errors).length > 0)
      throw new Error(`not every account was made: ${Object.keys(errors).join(', ')}`);
  }
  return { operations: count, errors: {}, seconds: (performance.now() - start) / 1000, latenciesMs: [] };
}

async function submitAll(node: BenchNode, groups: readonly Uint8Array[]): Promise<LoadResult> {
  const client = createHttpClient();
  const headers = { 'X-Algo-API-Token': node.environment.ALGOD_TOKEN };
  const result = await driveLoad({
    workers: CONCURRENCY,
    operations: groups.length,
    operate: async ({ index }) => {
      const group = groups[index] ?? new Uint8Array();
      const { status, bytes } = await client.post(`${node.url}/v2/transactions`, group, headers);
      if (status !== 200) throw new Error(`HTTP ${status} ${bytes.toString('utf8')}`);
    },
  });
  client.close();
  return result;
}

async function makeBlocks(node: BenchNode, count: number): Promise<LoadResult> {
  const start = performance.now();
  for (let made = 0; made < count; made += ROUNDS_A_TURN) await node.controls.mine(ROUNDS_A_TURN);
  return { operations: count, errors: {}, seconds: (performance.now() - start) / 1000, latenciesMs: [] };
}

function newAddress(index: number): string {
  return formatAddress(createHash('sha256').update(`account ${index}`).digest());
}
