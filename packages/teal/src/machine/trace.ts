import type { Instruction } from './instruction.ts';
import type { Machine } from './machine.ts';
import type { StackValue } from './stack-value.ts';

/** What one instruction did. */
export interface TraceStep {
  readonly pc: number;
  /** How many values it took from the stack. */
  readonly popped: number;
  /** What it put there, deepest first; nothing when it failed. */
  readonly added: readonly StackValue[];
  /** The slot it wrote, and what is there now. */
  readonly stored?: { readonly slot: number; readonly value: StackValue };
}

/** The steps of a run, the one that failed included. */
export class Trace {
  readonly steps: TraceStep[] = [];
  #height = 0;
  #slot: number | undefined;

  /** Before an instruction. */
  begin(machine: Machine, instruction: Instruction): void {
    const { opcode, pc } = instruction;
    const popped = opcode.pops?.(machine, instruction) ?? opcode.args.length;
    this.#height = machine.stack.length - popped;
    this.#slot = opcode.stores?.(machine, instruction);
    this.steps.push({ pc, popped, added: [] });
  }

  /** After it, if it did not fail. */
  complete(machine: Machine): void {
    const step = this.steps.pop();
    if (step === undefined) return;
    const added = machine.stack.slice(Math.max(this.#height, 0));
    const stored = this.#slot === undefined ? undefined : { slot: this.#slot, value: machine.load(this.#slot) };
    this.steps.push({ ...step, added, ...(stored && { stored }) });
  }
}
