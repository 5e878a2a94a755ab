import type { Instruction } from './instruction.ts';
import type { Machine } from './machine.ts';
import type { TraceStep } from './trace-step.ts';

/** The steps of a run, including one that failed. */
export class Trace {
  readonly steps: TraceStep[] = [];
  #height = 0;
  #slot: number | undefined;

  /** Called before an instruction. */
  begin(machine: Machine, instruction: Instruction): void {
    const { opcode, pc } = instruction;
    const popped = opcode.pops?.(machine, instruction) ?? opcode.args.length;
    this.#height = machine.stack.length - popped;
    this.#slot = opcode.stores?.(machine, instruction);
    this.steps.push({ pc, popped, added: [] });
  }

  /** Called after an instruction that did not fail. */
  complete(machine: Machine): void {
    const step = this.steps.pop();
    if (step === undefined) return;
    const added = machine.stack.slice(Math.max(this.#height, 0));
    const stored = this.#slot === undefined ? undefined : { slot: this.#slot, value: machine.load(this.#slot) };
    this.steps.push({ ...step, added, ...(stored && { stored }) });
  }
}
