import type { ProgramRun } from './application/group.ts';
import type { Context } from './context.ts';
import { OpcodeFailure } from './program-error.ts';
import type { StackValue } from './stack-value.ts';
import { SLOTS } from './limits.ts';

/** The facts that a machine needs about the program that it runs. */
interface RunningProgram {
  readonly bytes: Uint8Array;
  readonly version: number;
  readonly instructions: { readonly length: number };
}

/** A call of a subroutine. */
export interface Frame {
  /** The index of the instruction to return to. */
  readonly returnTo: number;
  /** The stack's height at the call. */
  readonly height: number;
  /** The numbers that `proto` declared. */
  proto?: { readonly args: number; readonly returns: number };
}

const NO_CONSTANTS: readonly never[] = [];

/** The state of a running program. Opcodes leave the stack unchanged until nothing can fail any more. */
export class Machine {
  readonly program: RunningProgram;
  readonly context: Context;
  readonly stack: StackValue[] = [];
  readonly calls: Frame[] = [];
  integers: readonly StackValue[] = NO_CONSTANTS;
  byteStrings: readonly StackValue[] = NO_CONSTANTS;
  /** Index of the instruction that runs next. */
  next = 0;
  /** The cost of the program itself so far. */
  cost = 0;
  /** The name of the opcode that ran before the current one. */
  previous: string | undefined;
  #scratch: StackValue[] | undefined;

  constructor(program: RunningProgram, context: Context) {
    this.program = program;
    this.context = context;
  }

  /** The run of an application's program. Opcodes that need it exist only in application mode. */
  get application(): ProgramRun {
    const { application } = this.context;
    if (application === undefined) throw new OpcodeFailure('not allowed in current mode');
    return application;
  }

  /**
   * The value `depth` places below the top. Stack height and kinds of declared arguments are checked before an opcode
   * runs.
   */
  value(depth: number): StackValue {
    const value = this.stack[this.stack.length - 1 - depth];
    if (value === undefined) throw new OpcodeFailure('stack underflow');
    return value;
  }

  integer(depth: number): bigint {
    const value = this.value(depth);
    if (typeof value !== 'bigint') throw new OpcodeFailure('an integer is expected');
    return value;
  }

  bytes(depth: number): Uint8Array {
    const value = this.value(depth);
    if (typeof value === 'bigint') throw new OpcodeFailure('bytes are expected');
    return value;
  }

  push(value: StackValue): void {
    this.stack.push(value);
  }

  drop(count: number): void {
    this.stack.length -= count;
  }

  /** Replaces the top `count` values by one. */
  replace(count: number, value: StackValue): void {
    this.stack.length -= count - 1;
    this.stack[this.stack.length - 1] = value;
  }

  load(slot: number): StackValue {
    return this.#scratch?.[slot] ?? 0n;
  }

  store(slot: number, value: StackValue): void {
    this.#scratch ??= Array.from({ length: SLOTS }, () => 0n);
    this.#scratch[slot] = value;
  }

  /** The slots up to the last one that is not the integer 0. */
  scratch(): readonly StackValue[] {
    const slots = this.#scratch ?? [];
    return slots.slice(0, slots.findLastIndex((value) => value !== 0n) + 1);
  }

  /** Jumps to the end of the program. */
  finish(): void {
    this.next = this.program.instructions.length;
  }
}

/** 1 for true, 0 for false. */
export function truth(value: boolean): bigint {
  return value ? 1n : 0n;
}
