import { asWritten, stackEffect, type Instruction } from './instruction.ts';
import type { Problems } from './problem.ts';
import { REFINEMENTS, type Effect } from './refinements.ts';
import { ANY, fits, numbers, valueTypeOf, type ValueType } from './value-type.ts';

const SCRATCH_SLOTS = 256;

/** A program's stack holds 1,000 values; what goes far beyond is not remembered. */
const MAX_KNOWN_VALUES = 10_000;

/** Nothing behind these is reached, but by a label. */
const ENDS_FLOW = new Set(['b', 'err', 'return', 'retsub']);

/** What is known at one place of a program of the values on its stack, in its scratch space and in its frame. */
export class TypeTracker {
  isOn = true;
  /** No way leads here. */
  isDead = false;
  /** The values known, deepest first. */
  stack: ValueType[] = [];
  /** Under them lie any number of unknown values. */
  isBottomless = false;
  scratch: ValueType[] = Array.from({ length: SCRATCH_SLOTS }, () => numbers(0n, 0n));
  /** How many arguments the subroutine has, where that is known. */
  frame: number | undefined;

  /** Follows one instruction: what it takes must be there, and fit. */
  follow(instruction: Instruction, problems: Problems): void {
    if (this.isOn) this.#apply(instruction, problems);
    const { text } = instruction.mnemonic;
    if (ENDS_FLOW.has(text)) this.#end();
    else if (text === 'callsub') this.forget();
  }

  #end(): void {
    this.isDead = true;
    this.stack = [];
  }

  /** A label is a way to dead code, and brings nobody knows what. */
  reach(): void {
    if (this.isDead) this.forget();
  }

  /** Nothing is known any more. */
  forget(): void {
    this.isDead = false;
    this.stack = [];
    this.isBottomless = true;
    this.scratch = this.scratch.map(() => ANY);
    this.frame = undefined;
  }

  /** The value under `depth` others. */
  peek(depth: number): ValueType {
    return this.stack.at(-1 - depth) ?? ANY;
  }

  #apply(instruction: Instruction, problems: Problems): void {
    const effect = this.#effectOf(instruction, problems);
    // What can never succeed is told of dead code, too; what is on its stack is not asked.
    if (this.isDead) return;
    this.#take(instruction, effect.args, problems);
    for (const type of effect.returns) this.stack.push(type);
    if (this.stack.length > MAX_KNOWN_VALUES) {
      this.stack = [];
      this.isBottomless = true;
    }
  }

  #effectOf(instruction: Instruction, problems: Problems): Effect {
    const { args, returns } = stackEffect(instruction);
    const declared = { args: args.map(valueTypeOf), returns: returns.map(valueTypeOf) };
    const refined = REFINEMENTS.get(nameOf(instruction))?.(this, instruction, declared) ?? declared;
    if (typeof refined !== 'string') return refined;
    problems.error(instruction.mnemonic, refined);
    return declared;
  }

  #take(instruction: Instruction, wanted: readonly ValueType[], problems: Problems): void {
    const { mnemonic } = instruction;
    const height = this.stack.length;
    if (wanted.length > height && !this.isBottomless) {
      problems.error(
        mnemonic,
        () => `${asWritten(instruction)} expects ${wanted.length} stack arguments but stack height is ${height}`,
      );
      return;
    }
    for (let index = wanted.length - 1; index >= 0; index--) {
      const want = wanted[index] ?? ANY;
      const got = this.stack.pop() ?? ANY;
      if (fits(got, want)) continue;
      problems.error(mnemonic, () => `${asWritten(instruction)} arg ${index} wanted type ${want.name} got ${got.name}`);
    }
  }
}

function nameOf({ meaning }: Instruction): string {
  return typeof meaning === 'string' ? meaning : meaning.name;
}
