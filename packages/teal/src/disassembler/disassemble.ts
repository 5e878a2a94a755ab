import { OpcodeFailure } from '../machine/program-error.ts';
import { NEWEST_VERSION } from '../opcodes/table.ts';
import { isCurvePoint } from '@avm402/algorand/curve-point';
import { programAddress } from '@avm402/algorand/program';
import { type ListedInstruction, type Listing, readInstructions } from './listing.ts';
import { readVarint } from '../go/varint.ts';
import { SALTED_SINCE } from '../machine/limits.ts';

/** Bytes that are not a program, with algod's reason. */
export class DisassemblyError extends Error {
  override readonly name = 'DisassemblyError';
}

/** A program's source, with the start of each instruction's line. */
export interface Disassembly {
  readonly text: string;
  readonly instructions: readonly {
    readonly pc: number;
    /** Offset of the first character of its line; a label is on the line before. */
    readonly offset: number;
  }[];
}

/**
 * A source that assembles to the program, as algod v5.0.0 writes it. A program without a version, or with an unknown
 * one, becomes a comment.
 * @throws DisassemblyError for bytes that are no instruction
 */
export function disassemble(program: Uint8Array): string {
  return disassembleWithPlaces(program).text;
}

/** Like `disassemble`, with the positions of the instructions. */
export function disassembleWithPlaces(program: Uint8Array): Disassembly {
  const version = readVarint(program, 0);
  if (typeof version === 'string') return { text: '// invalid version\n', instructions: [] };
  if (version.value > BigInt(NEWEST_VERSION)) {
    return { text: `// unsupported version ${version.value}\n`, instructions: [] };
  }
  const number = Number(version.value);
  const { instructions, labels } = listingOf(program, { start: version.end, version: number });
  let text = `#pragma version ${number}\n`;
  if (isUnsalted(program, number, instructions)) text += '#pragma autosalt false\n';
  const places: { pc: number; offset: number }[] = [];
  for (const { pc, line } of instructions) {
    text += labelLine(labels, pc);
    places.push({ pc, offset: text.length });
    text += `${line}\n`;
  }
  return { text: text + labelLine(labels, program.length), instructions: places };
}

function listingOf(program: Uint8Array, from: { start: number; version: number }): Listing {
  try {
    return readInstructions(program, from);
  } catch (error) {
    throw error instanceof OpcodeFailure ? new DisassemblyError(error.message, { cause: error }) : error;
  }
}

/** Whether the assembler would add a salt by default. */
function isUnsalted(program: Uint8Array, version: number, instructions: readonly ListedInstruction[]): boolean {
  return (
    version >= SALTED_SINCE &&
    !instructions.some(({ needsApplication }) => needsApplication) &&
    isCurvePoint(programAddress(program))
  );
}

function labelLine(labels: ReadonlyMap<bigint, string>, pc: number): string {
  const label = labels.get(BigInt(pc));
  return label === undefined ? '' : `${label}:\n`;
}
