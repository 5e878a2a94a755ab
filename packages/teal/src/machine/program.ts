import type { Mode } from './mode.ts';
import type { Instruction } from './instruction.ts';

/** A program, read once for all its runs. */
export interface Program {
  readonly bytes: Uint8Array;
  readonly version: number;
  readonly mode: Mode;
  /** All of them, or those before the first that is wrong. */
  readonly instructions: readonly Instruction[];
  /** What is wrong with the program as it stands; what depends on its group comes at each run. */
  readonly problem?: ProgramProblem;
}

export interface ProgramProblem {
  readonly pc: number | undefined;
  readonly message: string;
}
