import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { assemble } from '@avm402/teal/assemble';
import { programGroup } from '@avm402/teal/group';
import { decodeProgram, run } from '@avm402/teal/run';
import { RATE } from '../figures.ts';
import { type LoadResult, postAll } from '../load.ts';
import { startNode, type BenchNode } from '../node.ts';
import { type Sign, signedGroups } from '../payments.ts';
import { merchant } from '../roles.ts';
import type { Scenario } from '../scenario.ts';

const CONCURRENCY = 16;
const RUNS = 200_000;
const LINES = 10_000;
const OF_PLAIN = 'of the plain rate';
const MS = 'ms';

/** Ten instructions: a transfer of at most so much, at a fee of at most so much. */
const ALLOWANCE = assemble(
  '#pragma version 8\ntxn AssetAmount; int 1000; <=; txn Fee; int 2000; <=; &&; txn TypeEnum; int 4; ==; &&',
).program;

export const programs: Scenario = {
  name: 'programs',
  title: 'Programs',
  method:
    'Runs: a decoded program of eleven instructions runs again and again in one thread. Assembling: a source of ' +
    `${LINES.toLocaleString('en-US')} lines. Delegated payments: 450 transfers by logic signatures ` +
    `with that program, then 450 signed by keys, are submitted at concurrency ${CONCURRENCY} with instant blocks.`,
  targets: [
    { case: 'runs', figure: RATE, kind: 'atLeast', wanted: 100_000 },
    { case: 'assembling', figure: MS, kind: 'atMost', wanted: 100 },
    { case: 'delegated payments', figure: OF_PLAIN, kind: 'atLeast', wanted: 0.6 },
  ],
  async run(bench) {
    const node = await bench.own(startNode('instant'));
    const [rounds, warmUpMs] = bench.full ? [15, 20_000] : [2, 500];
    const measured = (name: string, work: () => Promise<LoadResult & { figures?: Record<string, number> }>) =>
      bench.compare({ case: name, sides: [{ name: 'ours', pids: [], run: work }], rounds, warmUpMs });
    return [
      ...(await measured('runs', manyRuns)),
      ...(await measured('assembling', assembleLines)),
      ...(await measured('delegated payments', () => delegatedPayments(node))),
    ];
  },
};

async function manyRuns(): Promise<LoadResult> {
  const program = decodeProgram(ALLOWANCE);
  const group = programGroup([
    {
      type: 'axfer',
      sender: merchant.address,
      receiver: merchant.address,
      assetId: 1n,
      amount: 1n,
      fee: 1000n,
      firstValid: 1n,
      lastValid: 1001n,
      genesisHash: new Uint8Array(32).fill(1),
    },
  ]);
  let passed = 0;
  const start = performance.now();
  for (let count = 0; count < RUNS; count++) if (run(program, { group, index: 0 }).passed) passed++;
  return { ...inSeconds(start), operations: passed };
}

async function assembleLines(): Promise<LoadResult & { figures: Record<string, number> }> {
  const source = `#pragma version 8\n${'int 1; pop\n'.repeat(LINES - 2)}int 1`;
  const start = performance.now();
  assemble(source);
  const result = inSeconds(start);
  return { ...result, operations: 1, figures: { [MS]: result.seconds * 1000 } };
}

function inSeconds(start: number): Omit<LoadResult, 'operations'> {
  const seconds = (performance.now() - start) / 1000;
  return { seconds, errors: {}, latenciesMs: [] };
}

async function delegatedPayments(node: BenchNode): Promise<LoadResult & { figures: Record<string, number> }> {
  const delegated = await submitted(node, byProgram);
  const plain = await submitted(node);
  return { ...delegated, figures: { [OF_PLAIN]: plain.seconds / delegated.seconds } };
}

async function submitted(node: BenchNode, sign?: Sign): Promise<LoadResult> {
  return postAll({
    url: `${node.url}/v2/transactions`,
    workers: CONCURRENCY,
    bodies: await signedGroups(node, 1, 450, sign),
    headers: { 'Content-Type': 'application/x-binary', 'X-Algo-API-Token': node.environment.ALGOD_TOKEN },
    check: (status, text) => {
      if (status !== 200) throw new Error(`HTTP ${status} ${text}`);
    },
  });
}

const byProgram: Sign = (account, txn) => {
  const signature = account.sign(Buffer.concat([Buffer.from('Program'), ALLOWANCE]));
  const logicSignature = encodeMsgpack({ l: ALLOWANCE, sig: signature });
  return encodeSignedTransaction({ txn, logicSignature });
};
