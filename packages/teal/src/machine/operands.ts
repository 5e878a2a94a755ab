import type { StackValue } from './stack-value.ts';

/** What stands behind an opcode in a program, and where. */
export interface Operands {
  /** The place of the opcode's first byte. */
  readonly pc: number;
  /** The immediates of one byte: numbers and fields; 0 where there is none. */
  readonly first: number;
  readonly second: number;
  readonly third: number;
  /** Constants that are immediates. */
  readonly constants: readonly StackValue[];
  /** Where it may go on: indexes into the program's instructions. */
  readonly targets: readonly number[];
}
