import type { LengthCost, Opcode, Operands } from './opcode.ts';

/** An opcode with its immediates, at its position in a program. */
export interface Instruction extends Operands {
  readonly opcode: Opcode;
  /** The position after its last byte. */
  readonly end: number;
  readonly cost: number;
  /** Set if the cost grows with an argument. */
  readonly lengthCost: LengthCost | undefined;
}
