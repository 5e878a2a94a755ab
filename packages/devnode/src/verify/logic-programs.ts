import { BUDGET_PER_TRANSACTION, check, run, type RunOptions, type RunResult, type StackValue } from '@avm402/teal/run';
import type { ErrorDetails } from '../errors.ts';
import { idText, type GroupMember } from '../transaction/member.ts';
import type { Programs } from './programs.ts';

const PLACE_WIDTH = 3;

/** The reason why a program does not approve its transaction. */
export interface ProgramProblem {
  readonly message: string;
  /** The place and the state in which it failed. */
  readonly data?: ErrorDetails;
}

/** How the programs of a group run. */
export interface RunMode {
  /** Whether their steps are recorded. */
  readonly trace: boolean;
  /** The instructions that lead to a place in a program, for messages of simulate. */
  readonly describe?: (program: Uint8Array, pc: number) => string;
}

/** The programs that sign for members of one group. They run one after another on one budget. */
export class LogicPrograms {
  /** The results of the programs that have run, by the position of their member. */
  readonly results: (RunResult | undefined)[] = [];
  readonly #members: readonly GroupMember[];
  readonly #programs: Programs;
  readonly #mode: RunMode;
  readonly #budget: { remaining: number };

  constructor(members: readonly GroupMember[], programs: Programs, mode: RunMode = { trace: false }) {
    this.#members = members;
    this.#programs = programs;
    this.#mode = mode;
    this.#budget = { remaining: BUDGET_PER_TRANSACTION * members.length };
  }

  /** The problem found in a member's program before it runs, if any. */
  checkProblem(index: number): string | undefined {
    const error = check(this.#program(index), this.#options(index));
    if (error === undefined) return undefined;
    return error.pc === undefined ? error.message : `pc=${String(error.pc).padStart(PLACE_WIDTH)} ${error.message}`;
  }

  /** Runs a member's program, which must have passed its check. */
  run(index: number): ProgramProblem | undefined {
    const result = run(this.#program(index), this.#options(index));
    this.results[index] = result;
    return result.passed ? undefined : this.#problem(index, result);
  }

  #problem(index: number, { error }: RunResult): ProgramProblem {
    const rejected = `transaction ${idText(this.#members[index]?.txId ?? new Uint8Array())}: rejected by logic`;
    if (error?.pc === undefined) return { message: rejected };
    const { pc } = error;
    const opcodes = this.#mode.describe === undefined ? '' : `, opcodes=${this.#mode.describe(this.#logic(index), pc)}`;
    return {
      message: `${rejected} err=${error.message}. Details: pc=${pc}${opcodes}`,
      data: { 'eval-states': this.#states(index), 'group-index': index, pc },
    };
  }

  /** The scratch slots of the members that have run, and the stack of the one that failed. */
  #states(failed: number): ErrorDetails[] {
    return Array.from({ length: failed + 1 }, (_, index) => {
      const { scratch = [], stack = [] } = this.results[index] ?? {};
      return {
        ...(scratch.length > 0 && { scratch: scratch.map(detail) }),
        ...(index === failed && stack.length > 0 && { stack: stack.map(detail) }),
      };
    });
  }

  #logic(index: number): Uint8Array {
    return this.#members[index]?.signed.logicSignature.logic ?? new Uint8Array();
  }

  #program(index: number): ReturnType<Programs['program']> {
    return this.#programs.program(this.#logic(index));
  }

  #options(index: number): RunOptions {
    return {
      group: this.#members,
      index,
      args: this.#members[index]?.signed.logicSignature.args ?? [],
      budget: this.#budget,
      environment: this.#programs.environment,
      trace: this.#mode.trace,
    };
  }
}

function detail(value: StackValue): bigint | string {
  return typeof value === 'bigint' ? value : Buffer.from(value).toString('base64');
}
