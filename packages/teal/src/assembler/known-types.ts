import { ANY, numbers, type ValueType } from './value-type.ts';

const SCRATCH_SLOTS = 256;

/** What is known at one place of a program of the values on its stack, in its scratch space and in its frame. */
export class KnownTypes {
  /** The values known, deepest first. */
  stack: ValueType[] = [];
  /** Under them lie any number of unknown values. */
  isBottomless = false;
  scratch: ValueType[] = Array.from({ length: SCRATCH_SLOTS }, () => numbers(0n, 0n));
  /** How many arguments the subroutine has, where that is known. */
  frame: number | undefined;

  /** Nothing is known any more. */
  forget(): void {
    this.forgetStack();
    this.scratch = this.scratch.map(() => ANY);
    this.frame = undefined;
  }

  forgetStack(): void {
    this.stack = [];
    this.isBottomless = true;
  }

  /** The value under `depth` others. */
  peek(depth: number): ValueType {
    return this.stack.at(-1 - depth) ?? ANY;
  }
}
