import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { programSigningBytes } from '@avm402/algorand/program';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { assemble } from '@avm402/teal/assemble';
import { programGroup } from '@avm402/teal/group';
import { decodeProgram, run } from '@avm402/teal/run';
import { RATE } from '../measure/figures.ts';
import { type Sign, signedGroups, submit, transfer } from '../market/groups.ts';
import { type LoadResult, timed } from '../measure/load.ts';
import { startNode, type BenchNode } from '../market/node.ts';
import { merchant } from '../market/accounts.ts';
import type { Scenario } from '../scenario.ts';

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
  fullSeconds: 30,
  targets: [
    { case: 'runs', figure: RATE, kind: 'atLeast', wanted: 100_000 },
    { case: 'assembling', figure: MS, kind: 'atMost', wanted: 100 },
    { case: 'delegated payments', figure: OF_PLAIN, kind: 'atLeast', wanted: 0.6 },
  ],
  async run(bench) {
    const node = await bench.own(startNode('instant'));
    const cases = { runs: manyRuns, assembling: assembleLines, 'delegated payments': () => delegatedPayments(node) };
    for (const [name, work] of Object.entries(cases)) {
      const sides = [{ name: 'ours', pids: [], run: work }] as const;
      await bench.compare({ case: name, sides, rounds: 15, warmUpMs: 5_000 });
    }
  },
};

async function manyRuns(): Promise<LoadResult> {
  const program = decodeProgram(ALLOWANCE);
  const group = programGroup([transfer(merchant.address, 1n, '')]);
  let passed = 0;
  const measured = await timed(() => {
    for (let count = 0; count < RUNS; count++) if (run(program, { group, index: 0 }).passed) passed++;
  });
  return { ...measured, operations: passed, latenciesMs: [] };
}

async function assembleLines(): Promise<LoadResult> {
  const source = `#pragma version 8\n${'int 1; pop\n'.repeat(LINES - 2)}int 1`;
  const measured = await timed(() => assemble(source));
  return { ...measured, latenciesMs: [], figures: { [MS]: measured.seconds * 1000 } };
}

async function delegatedPayments(node: BenchNode): Promise<LoadResult> {
  const path = '/v2/transactions';
  const delegated = await submit(node, path, await signedGroups(node, 1, 450, byProgram));
  const plain = await submit(node, path, await signedGroups(node, 1, 450));
  return { ...delegated, figures: { [OF_PLAIN]: plain.seconds / delegated.seconds } };
}

const byProgram: Sign = (account, txn) => {
  const signature = account.sign(programSigningBytes(ALLOWANCE));
  const logicSignature = encodeMsgpack({ l: ALLOWANCE, sig: signature });
  return encodeSignedTransaction({ txn, logicSignature });
};
