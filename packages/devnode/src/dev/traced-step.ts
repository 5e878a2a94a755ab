import { BYTES_TYPE } from '../codec/schema/application.ts';
import { disassembleWithPlaces } from '@avm402/teal/disassemble';
import type { StackValueRecord, TraceStepRecord } from '../codec/schema/simulate.ts';

/** An executed instruction: its line of TEAL, and what it left on the stack. */
export interface TracedStep {
  readonly pc: number;
  readonly line: string;
  /** How many values it took off the stack. */
  readonly popped: number;
  /** The values that it pushed: integers as decimals, bytes as `0x…`. */
  readonly pushed: readonly string[];
}

/** The steps of a run; their lines are empty if the program is not known. */
export function tracedSteps(
  program: Uint8Array | undefined,
  records: readonly TraceStepRecord[] = [],
): readonly TracedStep[] {
  const lines = program === undefined ? new Map<number, string>() : linesOf(program);
  return records.map((step) => ({
    pc: Number(step.pc),
    line: lines.get(Number(step.pc)) ?? '',
    popped: Number(step.stackPopCount),
    pushed: (step.stackAdditions ?? []).map(shownValue),
  }));
}

function linesOf(program: Uint8Array): ReadonlyMap<number, string> {
  const { text, instructions } = disassembleWithPlaces(program);
  return new Map(instructions.map(({ pc, offset }) => [pc, text.slice(offset, text.indexOf('\n', offset))]));
}

function shownValue({ type, bytes, uint }: StackValueRecord): string {
  return type === BYTES_TYPE ? `0x${Buffer.from(bytes ?? []).toString('hex')}` : String(uint);
}
