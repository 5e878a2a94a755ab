import type { Immediate } from './opcode.ts';
import type { BranchTargets } from './branch-targets.ts';
import type { Instruction } from './instruction.ts';
import { OpcodeFailure } from './program-error.ts';
import { ProgramReader } from './program-reader.ts';
import { MAX_BYTES } from './limits.ts';

/** A program whose instructions are read one after another. */
export interface ProgramSource {
  readonly bytes: Uint8Array;
  readonly targets: BranchTargets;
}

/** An instruction that is being read: it ends after what has been read of it. */
export type OpenInstruction = { -readonly [Name in keyof Instruction]: Instruction[Name] };

type Read = (instruction: OpenInstruction, source: ProgramSource) => void;

const READERS: Readonly<Record<Immediate['kind'], Read>> = {
  uint8: readSingleBytes,
  int8: readSingleBytes,
  field: readSingleBytes,
  uint: readUint,
  bytes: readByteString,
  uints: readUints,
  byteStrings: readByteStrings,
  label: readLabel,
  labels: readLabels,
};

/**
 * Reads the immediates of an instruction into it. One-byte immediates are present, because `decodeProgram` has checked.
 */
export function readImmediates(instruction: OpenInstruction, source: ProgramSource): void {
  const [first] = instruction.opcode.immediates;
  if (first !== undefined) READERS[first.kind](instruction, source);
}

function readSingleBytes(instruction: OpenInstruction, { bytes }: ProgramSource): void {
  const { immediates } = instruction.opcode;
  const start = instruction.end;
  instruction.first = singleByte(bytes, start, immediates[0]);
  instruction.second = singleByte(bytes, start + 1, immediates[1]);
  instruction.third = singleByte(bytes, start + 2, immediates[2]);
  instruction.end = start + immediates.length;
}

function singleByte(bytes: Uint8Array, place: number, immediate: Immediate | undefined): number {
  if (immediate === undefined) return 0;
  const byte = bytes[place] ?? 0;
  return immediate.kind === 'int8' ? (byte << 24) >> 24 : byte;
}

function readLabel(instruction: OpenInstruction, { targets }: ProgramSource): void {
  const { target, end } = targets.readBranch(instruction.pc);
  instruction.targets = [target];
  instruction.end = end;
}

function readUint(instruction: OpenInstruction, { bytes }: ProgramSource): void {
  const reader = new ProgramReader(bytes, instruction.end);
  instruction.constants = [reader.uint(() => `could not decode int at program[${instruction.end}]`)];
  instruction.end = reader.position;
}

function readByteString(instruction: OpenInstruction, { bytes }: ProgramSource): void {
  const reader = new ProgramReader(bytes, instruction.end);
  const noLength = (): string => `could not decode length at program[${instruction.end}]`;
  instruction.constants = [reader.byteString(noLength, (place) => `pushbytes too long at program[${place}]`)];
  instruction.end = reader.position;
}

function readUints(instruction: OpenInstruction, { bytes }: ProgramSource): void {
  const reader = new ProgramReader(bytes, instruction.end);
  instruction.constants = reader.uints();
  instruction.end = reader.position;
}

function readByteStrings(instruction: OpenInstruction, { bytes }: ProgramSource): void {
  const reader = new ProgramReader(bytes, instruction.end);
  const constants = reader.byteStrings();
  instruction.constants = constants;
  instruction.end = reader.position;
  const big = constants.findIndex(({ length }) => length > MAX_BYTES);
  if (big === -1) return;
  const size = `${constants[big]?.length} bytes, limit ${MAX_BYTES}`;
  throw new OpcodeFailure(`${instruction.opcode.name} arg ${big} is too big (${size})`);
}

function readLabels(instruction: OpenInstruction, { bytes, targets }: ProgramSource): void {
  const { opcode, end: start } = instruction;
  const count = bytes[start];
  if (count === undefined) throw new OpcodeFailure(`bare ${opcode.name} opcode at end of program`);
  const end = start + 1 + 2 * count;
  if (end > bytes.length) throw new OpcodeFailure(`${opcode.name} opcode claims to extend beyond program`);
  const places = Array.from({ length: count }, (_, index) => start + 1 + 2 * index);
  instruction.targets = places.map((place) => targets.readShortTarget(place, end));
  instruction.end = end;
}
