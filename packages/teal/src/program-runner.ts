import { decodeProgram } from './decode-program.ts';
import { NEWEST_VERSION } from './opcodes/table.ts';
import { checkProgram, hasAccess, NO_ACCESS } from './machine/check-program.ts';
import type { Context } from './machine/context.ts';
import { execute } from './machine/execute.ts';
import { failureOf } from './machine/application/run-failure.ts';
import type { ProgramEffects } from './machine/application/effects.ts';
import type { ProgramCall, ProgramOutcome } from './machine/application/group-programs.ts';
import { type ApplicationGroup, ProgramRun, type ProgramRunner } from './machine/application/group.ts';
import { Machine } from './machine/machine.ts';
import { type Program, programVersion } from './machine/program.ts';
import { ProgramError } from './machine/program-error.ts';
import { Trace } from './machine/trace.ts';
import { BUDGET_PER_CALL, SHARED_SINCE } from './machine/limits.ts';
import { ON_COMPLETION } from './machine/group-transaction.ts';

/** Checks and runs the programs of applications. */
export const runner: ProgramRunner = { check, run };

function check(group: ApplicationGroup, index: number, bytes: Uint8Array): string | undefined {
  const version = programVersion(bytes);
  if (typeof version === 'bigint' && version > BigInt(NEWEST_VERSION)) {
    return `program version ${version} greater than max supported version ${NEWEST_VERSION}`;
  }
  const transaction = group.members[index]?.transaction;
  const { budget } = group.shared;
  const isCreatedByClear = transaction?.applicationId === 0n && transaction.onCompletion === ON_COMPLETION.clearState;
  const available = isCreatedByClear ? { remaining: BUDGET_PER_CALL } : budget;
  try {
    checkProgram(decoded(bytes), { ...applicationContext(group, index), budget: available });
    return undefined;
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return error.pc === undefined ? error.message : `pc=${String(error.pc).padStart(3)} ${error.message}`;
  }
}

/** The most bytes of programs that are kept decoded; each byte may have become an instruction of 200 bytes. */
const MAX_KEPT_BYTES = 131_072;
/** Programs by the bytes in the ledger's state, which are never changed in place. */
const kept = new Map<Uint8Array, Program>();
let keptBytes = 0;

function decoded(bytes: Uint8Array): Program {
  const known = kept.get(bytes);
  if (known !== undefined) return known;
  const program = decodeProgram(bytes, 'application');
  keptBytes += bytes.length;
  if (keptBytes > MAX_KEPT_BYTES) {
    kept.clear();
    keptBytes = bytes.length;
  }
  kept.set(bytes, program);
  return program;
}

function run(group: ApplicationGroup, call: ProgramCall): ProgramOutcome {
  const { shared, members } = group;
  const member = members[call.index];
  if (member === undefined) throw new Error('a program runs for a member of its group');
  const { budget } = shared;
  if (call.kind === 'clear-state' && budget.remaining < BUDGET_PER_CALL) {
    const message = `attempted ClearState execution with low OpcodeBudget ${budget.remaining}`;
    return { status: 'refused', failure: { message } };
  }
  if (member.transaction.applicationId === 0n) {
    shared.resources.noteApplication(call.applicationId);
    shared.boxes.nameOwn(member, call.applicationId);
  }
  const unread = shared.boxes.readProblem();
  if (unread !== undefined) return { status: 'refused', failure: unread };
  const effects = noEffects();
  member.effects.program = effects;
  const program = decoded(call.program);
  const trace = shared.trace && new Trace(shared.trace);
  const one = new ProgramRun(group, call, { version: program.version, member, effects, steps: trace?.steps });
  group.runs[call.index] = one;
  shared.asking = one;
  const status = runProgram(one, program, trace);
  if (call.kind === 'clear-state' && status !== 'passed') delete member.effects.program;
  return status === 'failed' ? { status, failure: failureOf(one) } : { status };
}

function runProgram(one: ProgramRun, program: Program, trace: Trace | undefined): 'passed' | 'rejected' | 'failed' {
  const { group, call } = one;
  const pool = group.shared.budget;
  const budget = call.kind === 'clear-state' ? { remaining: BUDGET_PER_CALL } : pool;
  const machine = new Machine(program, { ...applicationContext(group, call.index), budget, application: one });
  one.machine = machine;
  try {
    checkStart(program, machine.context);
    group.shared.boxes.settle();
    execute(program, machine, trace);
    one.passed = machine.stack[0] !== 0n;
    return one.passed ? 'passed' : 'rejected';
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    one.error = error;
    return 'failed';
  } finally {
    if (budget !== pool) pool.remaining -= machine.cost;
    one.caller?.returned(one);
  }
}

function checkStart({ version, problem }: Program, context: Context): void {
  if (version < SHARED_SINCE && hasAccess(context)) throw new ProgramError('run', 0, NO_ACCESS);
  if (problem !== undefined) throw new ProgramError('run', problem.pc ?? 0, problem.message);
}

function applicationContext(group: ApplicationGroup, index: number): Context {
  const { budget, environment } = group.shared;
  return { mode: 'application', group: group.members, index, args: [], budget, environment };
}

function noEffects(): ProgramEffects {
  return { globals: new Map(), locals: new Map(), sharedAccounts: [], logs: [], inner: [] };
}
