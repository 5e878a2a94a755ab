import type { StackValue } from './stack-value.ts';

/** The operands that follow an opcode in a program, and their position. */
export interface Operands {
  /** Position of the opcode's first byte. */
  readonly pc: number;
  /** One-byte immediates, numbers and fields; 0 if there are none. */
  readonly first: number;
  readonly second: number;
  readonly third: number;
  /** Constants given as immediates. */
  readonly constants: readonly StackValue[];
  /** Possible next instructions, as indexes into the program's instructions. */
  readonly targets: readonly number[];
}
