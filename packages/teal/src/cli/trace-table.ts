import type { Origin } from '../assembler/source-map.ts';
import { encodeHex } from '../go/hex.ts';
import type { StackValue, TraceStep } from '../run.ts';

/** The known facts about a program's instructions. */
export interface Listing {
  readonly instructions: ReadonlyMap<number, string>;
  readonly origins: readonly Origin[];
}

/** Longer byte strings are cut. */
const SHOWN_BYTES = 8;
/** Only the top of a deep stack is shown. */
const SHOWN_VALUES = 6;
const SHOWN_INSTRUCTION = 40;

/** The steps of a run as a table: pc, source line, instruction, and the stack after it with its top at the right. */
export function traceTable(steps: readonly TraceStep[], { instructions, origins }: Listing): string {
  const lines = new Map(origins.map(({ pc, line }) => [pc, String(line)]));
  const stack: StackValue[] = [];
  const rows = steps.map(({ pc, popped, added }) => {
    stack.splice(Math.max(stack.length - popped, 0), popped, ...added);
    const instruction = cut(instructions.get(pc) ?? '', SHOWN_INSTRUCTION);
    return [String(pc), lines.get(pc) ?? '', instruction, shownStack(stack)];
  });
  return aligned([['pc', 'line', 'instruction', 'stack'], ...rows]);
}

function shownStack(stack: readonly StackValue[]): string {
  const shown = stack.slice(-SHOWN_VALUES).map(shownValue);
  return [...(stack.length > SHOWN_VALUES ? [`(${stack.length - SHOWN_VALUES} more)`] : []), ...shown].join(' ');
}

function shownValue(value: StackValue): string {
  if (typeof value === 'bigint') return String(value);
  if (value.length <= SHOWN_BYTES) return encodeHex(value);
  return `${encodeHex(value.subarray(0, SHOWN_BYTES))}…(${value.length})`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Aligns numbers right and words left, with two spaces between columns. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2].map((column) => rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0));
  const [pcWidth = 0, lineWidth = 0, instructionWidth = 0] = widths;
  return rows
    .map(([pc = '', line = '', instruction = '', stack = '']) =>
      [pc.padStart(pcWidth), line.padStart(lineWidth), instruction.padEnd(instructionWidth), stack]
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
