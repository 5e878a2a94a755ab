import type { ProgramRun } from './application/group.ts';
import type { Instruction } from './instruction.ts';
import type { Machine } from './machine.ts';
import type { StackValue } from './stack-value.ts';
import { TraceRoom } from './trace-room.ts';
import type { StatePlace, StateUse, TraceStep } from './trace-step.ts';

/** The steps of a run, including one that failed. */
export class Trace {
  readonly steps: TraceStep[] = [];
  readonly #room: TraceRoom;
  #height = 0;
  #slot: number | undefined;

  /** @param room that several runs share; by default this run has its own */
  constructor(room: TraceRoom = new TraceRoom()) {
    this.#room = room;
  }

  /** Called before an instruction. */
  begin(machine: Machine, instruction: Instruction): void {
    const { opcode, pc } = instruction;
    const { application } = machine.context;
    const popped = opcode.pops?.(machine, instruction) ?? opcode.args.length;
    this.#height = machine.stack.length - popped;
    this.#slot = opcode.stores?.(machine, instruction);
    const state = application && stateBefore(application, opcode.touches?.(machine));
    this.#room.take(state?.before);
    const submits = opcode.submits && application?.submitted.length;
    this.steps.push({ pc, popped, added: [], ...(state && { state }), ...(submits !== undefined && { submits }) });
  }

  /** Called after an instruction that did not fail. */
  complete(machine: Machine): void {
    const step = this.steps.pop();
    if (step === undefined) return;
    const { application } = machine.context;
    const added = machine.stack.slice(Math.max(this.#height, 0));
    const stored = this.#slot === undefined ? undefined : { slot: this.#slot, value: machine.load(this.#slot) };
    const state = application && step.state && { ...step.state, after: { value: valueAt(application, step.state) } };
    for (const value of added) this.#room.keep(value);
    this.#room.keep(state?.after.value);
    this.steps.push({ ...step, added, ...(stored && { stored }), ...(state && { state }) });
  }
}

function stateBefore(run: ProgramRun, place: StatePlace | undefined): StateUse | undefined {
  return place && { ...place, before: valueAt(run, place) };
}

function valueAt({ shared: { ledger } }: ProgramRun, place: StatePlace): StackValue | undefined {
  const { kind, applicationId, account, key } = place;
  if (kind === 'box') return ledger.box(applicationId, key);
  if (kind === 'local') {
    const isThere = account !== undefined && ledger.isOptedIn(account, applicationId);
    return isThere ? ledger.local(account, applicationId, key) : undefined;
  }
  return ledger.application(applicationId) === undefined ? undefined : ledger.global(applicationId, key);
}
