import type { Instruction } from './instruction.ts';
import type { Mode } from './environment.ts';
import { readVarint } from '../go/varint.ts';

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

/** The version at the start of a program, or algod's reason why there is none. */
export function programVersion(program: Uint8Array): bigint | string {
  if (program.length === 0) return 'invalid program (empty)';
  const version = readVarint(program, 0);
  return typeof version === 'string' ? 'invalid version' : version.value;
}
