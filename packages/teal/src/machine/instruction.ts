import type { LengthCost, Opcode } from './opcode.ts';
import type { Operands } from './operands.ts';

/** An opcode with its immediates, at its place in a program. */
export interface Instruction extends Operands {
  readonly opcode: Opcode;
  /** The byte after its last. */
  readonly end: number;
  readonly cost: number;
  /** Where the cost grows with an argument. */
  readonly lengthCost: LengthCost | undefined;
}
