import { asWritten, stackEffect, type Instruction } from './instruction.ts';
import type { Problems } from './problem.ts';
import { KnownTypes } from './known-types.ts';
import { refinementOf, type Effect } from './refinements.ts';
import { ANY, fits, valueTypeOf, type ValueType } from './value-type.ts';

/** A program's stack holds 1,000 values; values far beyond that are not remembered. */
const MAX_KNOWN_VALUES = 2_000;

/** Follows a program instruction by instruction and reports values that are missing or do not fit. */
export class TypeTracker {
  isOn = true;
  /** Whether no path leads here. */
  isDead = false;
  readonly #known = new KnownTypes();

  /** Follows one instruction: the values that it takes must be present and fit. */
  follow(instruction: Instruction, problems: Problems): void {
    if (this.isOn) this.#apply(instruction, problems);
    const { meaning, mnemonic } = instruction;
    if (typeof meaning !== 'string' && meaning.endsFlow) this.#end();
    else if (mnemonic.text === 'callsub') this.forget();
  }

  #end(): void {
    this.isDead = true;
    this.#known.stack = [];
  }

  /** Handles a label, which makes dead code reachable with an unknown state. */
  reach(): void {
    if (this.isDead) this.forget();
  }

  /** Forgets everything. */
  forget(): void {
    this.isDead = false;
    this.#known.forget();
  }

  #apply(instruction: Instruction, problems: Problems): void {
    const effect = this.#effectOf(instruction, problems);
    // Certain failures are reported in dead code too, but its stack is not checked.
    if (this.isDead) return;
    this.#take(instruction, effect.args, problems);
    for (const type of effect.returns) this.#known.stack.push(type);
    if (this.#known.stack.length > MAX_KNOWN_VALUES) this.#known.forgetStack();
  }

  #effectOf(instruction: Instruction, problems: Problems): Effect {
    const { args, returns } = stackEffect(instruction);
    const declared = { args: args.map(valueTypeOf), returns: returns.map(valueTypeOf) };
    const refined = refinementOf(instruction)?.(this.#known, instruction, declared) ?? declared;
    if (typeof refined !== 'string') return refined;
    problems.error(instruction.mnemonic, refined);
    return declared;
  }

  #take(instruction: Instruction, wanted: readonly ValueType[], problems: Problems): void {
    const { mnemonic } = instruction;
    const { stack, isBottomless } = this.#known;
    const height = stack.length;
    if (wanted.length > height && !isBottomless) {
      problems.error(
        mnemonic,
        () => `${asWritten(instruction)} expects ${wanted.length} stack arguments but stack height is ${height}`,
      );
      return;
    }
    for (let index = wanted.length - 1; index >= 0; index--) {
      const want = wanted[index] ?? ANY;
      const got = stack.pop() ?? ANY;
      if (fits(got, want)) continue;
      problems.error(mnemonic, () => `${asWritten(instruction)} arg ${index} wanted type ${want.name} got ${got.name}`);
    }
  }
}
