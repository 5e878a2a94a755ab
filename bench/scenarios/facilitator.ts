import type { Program } from '@avm402/stack/program';
import type { Side } from '../compare.ts';
import { CPU, NODE_CALLS, RATE } from '../figures.ts';
import { postAll } from '../load.ts';
import { blocksFor, startNode } from '../node.ts';
import { mustBeGood, paymentBodies } from '../payments.ts';
import { MAKES, startFacilitator, type Make } from '../roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

const at = (concurrency: number): string => `concurrency ${concurrency}`;

export const verify: Scenario = {
  name: 'verify',
  title: 'Facilitator: verify',
  method:
    'Sponsored payments, each another one, are posted to `/verify` over open connections; a worker posts its next one ' +
    'when it has read the answer. Above concurrency 5 the node makes a block every 2.8 s.',
  targets: [
    { case: at(10), figure: RATE, kind: 'times', wanted: 5 },
    { case: at(1), figure: NODE_CALLS, kind: 'atMost', wanted: 1.05 },
  ],
  run: (bench) => compareFacilitators(bench, 'verify', bench.full ? [1, 10, 100] : [1, 10]),
};

export const settle: Scenario = {
  name: 'settle',
  title: 'Facilitator: settle',
  method:
    'Sponsored payments that the same facilitator has verified before, as a resource server does, are posted to ' +
    '`/settle`. Ours records each in SQLite before it is sent, stock keeps no record. Above concurrency 5 the node ' +
    'makes a block every 2.8 s: waiting dominates, so that CPU time is what counts.',
  targets: [
    { case: at(1), figure: RATE, kind: 'times', wanted: 4 },
    { case: at(5), figure: RATE, kind: 'times', wanted: 4 },
    { case: at(10), figure: CPU, kind: 'times', wanted: 4 },
    { case: at(100), figure: CPU, kind: 'times', wanted: 4 },
    { case: at(1), figure: NODE_CALLS, kind: 'atMost', wanted: 3.05 },
  ],
  run: (bench) => compareFacilitators(bench, 'settle', bench.full ? [1, 5, 10, 100] : [1, 5]),
};

type Endpoint = 'verify' | 'settle';

async function compareFacilitators(bench: Bench, endpoint: Endpoint, concurrencies: readonly number[]) {
  const slices = [];
  for (const concurrency of concurrencies) {
    const node = await bench.own(startNode(blocksFor(concurrency)));
    const isSlow = endpoint === 'settle' && blocksFor(concurrency) === 'slow';
    const sides: Side[] = [];
    for (const make of MAKES) {
      const quick = (make === 'ours' ? 600 : 120) / (bench.full ? 1 : 5);
      const count = isSlow ? Math.max(60, 3 * concurrency) : quick;
      const facilitator = await bench.own(startFacilitator(make, node));
      sides.push(
        sideOf(make, { facilitator, endpoint, bodies: () => paymentBodies(node, concurrency, count), concurrency }),
      );
    }
    const rounds = bench.full ? (isSlow ? 7 : 15) : 2;
    const warmUpMs = bench.full ? 30_000 : 500;
    slices.push(...(await bench.compare({ case: at(concurrency), sides, rounds, warmUpMs, nodeCalls: node.calls })));
  }
  return slices;
}

interface Load {
  readonly facilitator: Program;
  readonly endpoint: Endpoint;
  readonly bodies: () => Promise<readonly string[]>;
  readonly concurrency: number;
}

function sideOf(name: Make, { facilitator: { url, pid }, endpoint, bodies, concurrency: workers }: Load): Side {
  let payments: readonly string[] = [];
  const headers = { 'Content-Type': 'application/json' };
  const post = (path: Endpoint) =>
    postAll({ url: `${url}/${path}`, workers, bodies: payments, headers, check: mustBeGood });
  const prepare = async (): Promise<void> => {
    payments = await bodies();
    if (endpoint === 'settle') await post('verify');
  };
  return { name, pids: [pid], prepare, run: () => post(endpoint) };
}
