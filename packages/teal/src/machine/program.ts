import type { Mode } from './mode.ts';
import type { Instruction } from './instruction.ts';

/** A decoded program, read once for all its runs. */
export interface Program {
  readonly bytes: Uint8Array;
  readonly version: number;
  readonly mode: Mode;
  /** All instructions, or those before the first wrong one. */
  readonly instructions: readonly Instruction[];
  /** The error in the program itself; errors that depend on its group are found at each run. */
  readonly problem?: ProgramProblem;
}

export interface ProgramProblem {
  readonly pc: number | undefined;
  readonly message: string;
}
