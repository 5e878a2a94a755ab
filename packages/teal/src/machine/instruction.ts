import type { LengthCost, Opcode } from './opcode.ts';
import type { StackValue } from './stack-value.ts';

/** An opcode with its immediates, at its place in a program. */
export interface Instruction {
  readonly opcode: Opcode;
  /** Its first byte, and the byte after its last. */
  readonly pc: number;
  readonly end: number;
  readonly cost: number;
  /** Where the cost grows with an argument. */
  readonly lengthCost: LengthCost | undefined;
  /** The immediates of one byte: numbers and fields; 0 where there is none. */
  readonly first: number;
  readonly second: number;
  readonly third: number;
  /** Constants that are immediates. */
  readonly constants: readonly StackValue[];
  /** Where it may go on: indexes into the program's instructions. */
  readonly targets: readonly number[];
}
