import type { GroupTransaction } from './machine/group-transaction.ts';
import { checkProgram } from './machine/check-program.ts';
import type { Context } from './machine/context.ts';
import { decodeProgram } from './decode-program.ts';
import { type Budget, EMPTY_ENVIRONMENT, type Environment } from './machine/environment.ts';
import { execute } from './machine/execute.ts';
import { Machine } from './machine/machine.ts';
import { ProgramError } from './machine/program-error.ts';
import type { Program } from './machine/program.ts';
import type { StackValue } from './machine/stack-value.ts';
import { Trace } from './machine/trace.ts';
import type { TraceStep } from './machine/trace-step.ts';

export { decodeProgram } from './decode-program.ts';
export { programVersion } from './machine/program.ts';
export {
  type BlockHeader,
  CURRENT_PARAMETERS,
  EMPTY_ENVIRONMENT,
  type Environment,
  type NetworkParameters,
} from './machine/environment.ts';
export type { Budget, GroupTransaction, Program, StackValue, TraceStep };
export { ProgramError };

/** The budget that every transaction of a group adds for the group's logic signatures to share. */
export const BUDGET_PER_TRANSACTION = 20_000;

const MAX_ARGUMENTS = 255;

/** The surroundings of a logic signature. */
export interface RunOptions {
  readonly group: readonly GroupTransaction[];
  /** Index in the group of the transaction that the program signs. */
  readonly index: number;
  readonly args?: readonly Uint8Array[];
  /** The budget left for this program and those after it. Default: 20,000 for each transaction of the group. */
  readonly budget?: Budget;
  readonly environment?: Environment;
  /** Whether to record the steps. */
  readonly trace?: boolean;
}

export interface RunResult {
  readonly passed: boolean;
  /** The cost taken from the budget. */
  readonly cost: number;
  /** Absent if the program passed, and if it ended with 0. */
  readonly error?: ProgramError;
  readonly trace?: readonly TraceStep[];
  /** The stack at the end, deepest value first. After a failure it is the stack at the failing instruction. */
  readonly stack: readonly StackValue[];
  /** The slots up to the last one that is not the integer 0. */
  readonly scratch: readonly StackValue[];
}

/**
 * Runs a logic signature's program: checks all of it, then runs it until it ends, fails or exceeds its budget. A
 * program that runs often should be decoded once, with `decodeProgram`.
 * @throws TraceTooLong (of `@avm402/teal/application`), where a trace would take too much memory
 */
export function run(program: Uint8Array | Program, options: RunOptions): RunResult {
  const decoded = program instanceof Uint8Array ? decodeProgram(program) : program;
  const machine = new Machine(decoded, signatureContext(options));
  const trace = options.trace ? new Trace() : undefined;
  const error = failureOf(() => {
    checkProgram(decoded, machine.context);
    checkArguments(decoded, machine.context);
    execute(decoded, machine, trace);
  });
  const [last] = machine.stack;
  return {
    passed: error === undefined && last !== 0n,
    cost: machine.cost,
    ...(error && { error }),
    ...(trace && { trace: trace.steps }),
    stack: machine.stack,
    scratch: machine.scratch(),
  };
}

/** The error that the check of a program finds before it runs; undefined if it finds none. */
export function check(program: Uint8Array | Program, options: RunOptions): ProgramError | undefined {
  const decoded = program instanceof Uint8Array ? decodeProgram(program) : program;
  return failureOf(() => checkProgram(decoded, signatureContext(options)));
}

function signatureContext({ group, index, args = [], budget, environment = EMPTY_ENVIRONMENT }: RunOptions): Context {
  const pool = budget ?? { remaining: BUDGET_PER_TRANSACTION * group.length };
  return { mode: 'signature', group, index, args, budget: pool, environment };
}

function failureOf(step: () => void): ProgramError | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (error instanceof ProgramError) return error;
    throw error;
  }
}

function checkArguments({ instructions, bytes }: Program, { args }: Context): void {
  if (args.length <= MAX_ARGUMENTS) return;
  throw new ProgramError('run', instructions[0]?.pc ?? bytes.length, 'LogicSig has too many arguments');
}
