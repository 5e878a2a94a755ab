import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '@avm402/stack/program';
import { startOurFacilitator } from '../harness/facilitators.ts';
import { createHttpClient } from '../harness/http-client.ts';
import { driveLoad, type LoadResult } from '../harness/load.ts';
import { startNode, type BenchNode } from '../harness/node.ts';
import { payers } from '../harness/payers.ts';
import { paymentBodies } from '../harness/payments.ts';
import { residentBytes } from '../harness/process-usage.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { OURS } from './sides.ts';

const PAYERS = 100;
const MEBIBYTE = 2 ** 20;
/** A block holds 5 MB. */
const BLOCKS_FOR_ALL = 4;

export const pending: Scenario = {
  name: 'pending',
  title: 'Payments that wait for their block',
  method:
    'The node makes no blocks, so that every settlement stays open; a caller is told so after 100 ms. Measured is the ' +
    'cost of further payments while so many wait already; at last, how long it takes until the outcome of all is on ' +
    'record once their blocks are there.',
  ratios: [],
  async run(bench) {
    const node = await bench.own(startNode({ blocks: 'manual', payers: PAYERS }));
    const facilitator = await bench.own(startOurFacilitator(node, { SETTLE_TIMEOUT_MS: '100' }));
    const txIds: string[] = [];
    const settle = (bodies: readonly string[]): Promise<LoadResult> => settlePending(facilitator.url, bodies, txIds);
    const slices = [];
    for (const wanted of bench.full ? [500, 2000, 10_000] : [500]) {
      await settle(await paymentBodies(node, payers(PAYERS), wanted - txIds.length));
      let bodies: readonly string[] = [];
      const side = {
        name: OURS,
        processes: { facilitator: facilitator.pid, node: node.program.pid },
        prepare: async () => void (bodies = await paymentBodies(node, payers(PAYERS), 100)),
        run: () => settle(bodies),
      };
      const measured = await bench.compare({
        case: `${wanted.toLocaleString('en-US')} waiting`,
        sides: [side],
        rounds: 3,
      });
      const resident = Math.round((residentBytes(facilitator.pid) ?? Number.NaN) / MEBIBYTE);
      slices.push(...measured.map((slice) => ({ ...slice, figures: { 'resident MiB': resident } })));
    }
    return [...slices, ...(await confirming(bench, { node, facilitator, txIds }))];
  },
};

/** Posts payments that nobody confirms: 'pending' is what they shall be. */
async function settlePending(url: string, bodies: readonly string[], txIds: string[]): Promise<LoadResult> {
  const client = createHttpClient();
  const result = await driveLoad({
    workers: PAYERS,
    operations: bodies.length,
    operate: async ({ index }) => {
      const { status, body } = await client.postJson(`${url}/settle`, bodies[index] ?? '');
      const { errorReason, transaction } = Object(body);
      txIds.push(String(transaction));
      if (errorReason !== 'settlement_pending') throw new Error(`HTTP ${status} ${String(errorReason)}`);
    },
  });
  client.close();
  return result;
}

interface Waiting {
  readonly node: BenchNode;
  readonly facilitator: Program;
  readonly txIds: readonly string[];
}

/** Makes the blocks that hold them all, and waits until the last one is on record. */
function confirming(bench: Bench, { node, facilitator, txIds }: Waiting) {
  const client = createHttpClient();
  const stateOf = async (txId: string): Promise<unknown> => {
    const { bytes } = await client.get(`${facilitator.url}/settlements/${txId}`);
    return Object(JSON.parse(bytes.toString('utf8'))).state;
  };
  const run = async (): Promise<LoadResult> => {
    const start = performance.now();
    await node.controls.mine(BLOCKS_FOR_ALL);
    while ((await stateOf(txIds.at(-1) ?? '')) !== 'confirmed') await sleep(5);
    const seconds = (performance.now() - start) / 1000;
    const states = await Promise.all(txIds.map(stateOf));
    const open = states.filter((state) => state !== 'confirmed').length;
    client.close();
    return { operations: txIds.length, errors: open === 0 ? {} : { 'not confirmed': open }, seconds, latenciesMs: [] };
  };
  const processes = { facilitator: facilitator.pid, node: node.program.pid };
  return bench.compare({
    case: `${txIds.length.toLocaleString('en-US')} confirmed at once`,
    sides: [{ name: OURS, processes, run }],
    rounds: 1,
  });
}
