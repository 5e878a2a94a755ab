import { formatAddress } from '@avm402/algorand/address';
import { decodeGroup } from '@avm402/algorand/group';
import type { Transaction } from '@avm402/algorand/transaction';
import { programAddress } from '@avm402/algorand/program';
import { originsOf, type Origin } from '../assembler/source-map.ts';
import { disassembleWithPlaces, DisassemblyError } from '../disassembler/disassemble.ts';
import { programGroup } from '../group.ts';
import { TraceTooLong } from '../machine/trace-room.ts';
import { BUDGET_PER_TRANSACTION, run as runProgram, type RunResult } from '../run.ts';
import { CommandError, EXIT, parseArguments, readBytes, textOrHex, UsageError, type Command } from './command.ts';
import { assembleFile } from './compile.ts';
import { callApplication, type RunInputs, type RunOutcome } from './call-application.ts';
import { traceTable } from './trace-table.ts';
import type { World } from './world.ts';

const help = `Usage: avm402-teal run FILE [options]

Runs a logic signature's program, or with --app an application's, and prints its trace as a table: place in the program,
line of the source, instruction, and the stack after it. FILE is a source if its name ends in .teal (or is - for stdin),
else a program's bytes.

      --group FILE     the group: msgpack of its transactions, signed or bare, one after the other
                       (default: one payment of nothing by the program's own account to itself)
      --index N        the transaction of the group that the program signs (default 0)
      --arg VALUE      an argument: 0x and hexadecimal digits, or a text; once for each
      --app            FILE is the approval program of an application that is called with the arguments
      --state FILE     with --app: the state before the call, as JSON (default: nothing)
      --no-trace       only the outcome

Exit code 0: it passed; 1: it did not; 2: wrong usage.`;

const OPTIONS = {
  group: { type: 'string' },
  index: { type: 'string' },
  arg: { type: 'string', multiple: true },
  app: { type: 'boolean' },
  state: { type: 'string' },
  'no-trace': { type: 'boolean' },
} as const;

export const run: Command = {
  summary: 'run a program and show its trace',
  help,
  async run(args, world) {
    const { values, file } = parseArguments(args, OPTIONS);
    const loaded = await loadProgram(world, file);
    const inputs = { args: (values.arg ?? []).map(parseValue), trace: values['no-trace'] !== true };
    const start = values.app === true ? runApplication : runSignature;
    const { passed, steps, lines } = await start(loaded, values, inputs, world).catch(refuseLongTrace);
    if (inputs.trace) {
      world.print(traceTable(steps, { instructions: instructionsOf(loaded.program), origins: loaded.origins }));
    }
    world.print(lines.join('\n'));
    return passed ? EXIT.done : EXIT.failed;
  },
};

/** The files and the position that options name. */
interface Named {
  readonly group?: string | undefined;
  readonly index?: string | undefined;
  readonly state?: string | undefined;
}

async function runApplication(
  { program }: LoadedProgram,
  { group, index, state }: Named,
  inputs: RunInputs,
  world: World,
): Promise<RunOutcome> {
  if ((group ?? index) !== undefined) throw new UsageError('--group and --index do not go with --app');
  const text = state === undefined ? '{}' : new TextDecoder().decode(await readBytes(world, state));
  return callApplication(program, text, inputs);
}

async function runSignature(
  { program, origins }: LoadedProgram,
  { group, index = '0', state }: Named,
  inputs: RunInputs,
  world: World,
): Promise<RunOutcome> {
  if (state !== undefined) throw new UsageError('--state needs --app');
  const transactions = group === undefined ? [ownPayment(program)] : await readGroup(world, group);
  const place = { group: programGroup(transactions), index: parseIndex(index, transactions.length) };
  const result = runProgram(program, { ...place, ...inputs });
  return {
    passed: result.passed,
    steps: result.trace ?? [],
    lines: [outcome(result, origins, transactions.length)],
  };
}

/** @throws CommandError */
function refuseLongTrace(error: unknown): never {
  if (error instanceof TraceTooLong) throw new CommandError(`${error.message}: run it with --no-trace`);
  throw error;
}

interface LoadedProgram {
  readonly program: Uint8Array;
  /** Empty for a program without source. */
  readonly origins: readonly Origin[];
}

async function loadProgram(world: World, file: string): Promise<LoadedProgram> {
  const bytes = await readBytes(world, file);
  if (file !== '-' && !file.endsWith('.teal')) return { program: bytes, origins: [] };
  const { program, sourceMap } = assembleFile(world, file, bytes);
  return { program, origins: originsOf(sourceMap.mappings) };
}

async function readGroup(world: World, file: string): Promise<Transaction[]> {
  const bytes = await readBytes(world, file);
  try {
    return decodeGroup(bytes).map(({ signed }) => signed.txn);
  } catch (error) {
    throw new CommandError(
      `${file} is not a transaction group: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** A payment that changes nothing, sent by the account that the program controls. */
function ownPayment(program: Uint8Array): Transaction {
  const account = formatAddress(programAddress(program));
  return {
    type: 'pay',
    sender: account,
    receiver: account,
    amount: 0n,
    fee: 1000n,
    firstValid: 1n,
    lastValid: 1000n,
    genesisHash: new Uint8Array(32),
  };
}

function parseIndex(text: string, count: number): number {
  const index = Number(text);
  if (/^\d+$/.test(text) && index < count) return index;
  throw new UsageError(`--index must be 0 to ${count - 1}, the position of a transaction in its group`);
}

function parseValue(text: string): Uint8Array {
  const bytes = textOrHex(text);
  if (bytes === undefined) throw new UsageError(`--arg ${text}: expected pairs of hexadecimal digits`);
  return bytes;
}

/** The instructions of a program by position; empty if it can't be disassembled. */
function instructionsOf(program: Uint8Array): ReadonlyMap<number, string> {
  try {
    const { text, instructions } = disassembleWithPlaces(program);
    return new Map(instructions.map(({ pc, offset }) => [pc, text.slice(offset, text.indexOf('\n', offset))]));
  } catch (error) {
    if (error instanceof DisassemblyError) return new Map();
    throw error;
  }
}

function outcome({ passed, cost, error }: RunResult, origins: readonly Origin[], transactions: number): string {
  const budget = `cost ${cost} of ${BUDGET_PER_TRANSACTION * transactions}`;
  if (passed) return `passed, ${budget}`;
  if (error === undefined) return `rejected: it ended with 0, ${budget}`;
  const origin = origins.find(({ pc }) => pc === error.pc);
  const place =
    error.pc === undefined ? '' : ` at pc ${error.pc}${origin === undefined ? '' : `, line ${origin.line}`}`;
  return `failed${place}: ${error.message}, ${budget}`;
}
