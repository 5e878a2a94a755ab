import { ANY, numbers, type ValueType } from './value-type.ts';
import { SLOTS } from '../machine/limits.ts';

const ZERO = numbers(0n, 0n);
const ZEROS = Array.from({ length: SLOTS }, () => ZERO);

/** The known values on the stack, in scratch space and in the frame at one place of a program. */
export class KnownTypes {
  /** The known values, deepest first. */
  stack: ValueType[] = [];
  /** Whether any number of unknown values lie below the known ones. */
  isBottomless = false;
  scratch: ValueType[] = [...ZEROS];
  /** Number of the subroutine's arguments, if known. */
  frame: number | undefined;

  /** Forgets everything. */
  forget(): void {
    this.forgetStack();
    this.scratch.fill(ANY);
    this.frame = undefined;
  }

  forgetStack(): void {
    this.stack = [];
    this.isBottomless = true;
  }

  /** The value below `depth` others. */
  peek(depth: number): ValueType {
    return this.stack.at(-1 - depth) ?? ANY;
  }
}
