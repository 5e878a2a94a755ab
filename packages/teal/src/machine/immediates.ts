import type { Immediate, Opcode } from './opcode.ts';
import type { BranchTargets } from './branch-targets.ts';
import type { Instruction } from './instruction.ts';
import { OpcodeFailure } from './program-error.ts';
import { ProgramReader } from './program-reader.ts';
import { MAX_BYTES } from './stack-value.ts';

/** An opcode whose immediates are read next. */
export interface ImmediatesToRead {
  readonly bytes: Uint8Array;
  readonly opcode: Opcode;
  readonly pc: number;
  /** The position after the opcode. */
  readonly start: number;
  readonly targets: BranchTargets;
}

type Immediates = Pick<Instruction, 'first' | 'second' | 'third' | 'constants' | 'targets' | 'end'>;

const NONE: Omit<Immediates, 'end'> = { first: 0, second: 0, third: 0, constants: [], targets: [] };

const READERS: Readonly<Record<Immediate['kind'], (source: ImmediatesToRead) => Immediates>> = {
  uint8: readSingleBytes,
  int8: readSingleBytes,
  field: readSingleBytes,
  uint: ({ bytes, start }) => readUint(bytes, start),
  bytes: ({ bytes, start }) => readByteString(bytes, start),
  uints: ({ bytes, start }) => readUints(bytes, start),
  byteStrings: ({ bytes, start, opcode }) => readByteStrings(bytes, start, opcode.name),
  label: readLabel,
  labels: readLabels,
};

/** Reads the immediates of an opcode. One-byte immediates are present, because `decodeProgram` has checked. */
export function readImmediates(source: ImmediatesToRead): Immediates {
  const [first] = source.opcode.immediates;
  return first === undefined ? { ...NONE, end: source.start } : READERS[first.kind](source);
}

function readSingleBytes({ bytes, start, opcode: { immediates } }: ImmediatesToRead): Immediates {
  const [first = 0, second = 0, third = 0] = immediates.map(({ kind }, index) => {
    const byte = bytes[start + index] ?? 0;
    return kind === 'int8' ? (byte << 24) >> 24 : byte;
  });
  return { ...NONE, first, second, third, end: start + immediates.length };
}

function readLabel({ pc, targets }: ImmediatesToRead): Immediates {
  const { target, end } = targets.readBranch(pc);
  return { ...NONE, targets: [target], end };
}

function readUint(bytes: Uint8Array, start: number): Immediates {
  const reader = new ProgramReader(bytes, start);
  const constants = [reader.uint(`could not decode int at program[${start}]`)];
  return { ...NONE, constants, end: reader.position };
}

function readByteString(bytes: Uint8Array, start: number): Immediates {
  const reader = new ProgramReader(bytes, start);
  const noLength = `could not decode length at program[${start}]`;
  const constants = [reader.byteString(noLength, (place) => `pushbytes too long at program[${place}]`)];
  return { ...NONE, constants, end: reader.position };
}

function readUints(bytes: Uint8Array, start: number): Immediates {
  const reader = new ProgramReader(bytes, start);
  return { ...NONE, constants: reader.uints(), end: reader.position };
}

function readByteStrings(bytes: Uint8Array, start: number, name: string): Immediates {
  const reader = new ProgramReader(bytes, start);
  const constants = reader.byteStrings();
  const big = constants.findIndex(({ length }) => length > MAX_BYTES);
  if (big === -1) return { ...NONE, constants, end: reader.position };
  const size = `${constants[big]?.length} bytes, limit ${MAX_BYTES}`;
  throw new OpcodeFailure(`${name} arg ${big} is too big (${size})`);
}

function readLabels({ bytes, opcode: { name }, start, targets }: ImmediatesToRead): Immediates {
  const count = bytes[start];
  if (count === undefined) throw new OpcodeFailure(`bare ${name} opcode at end of program`);
  const end = start + 1 + 2 * count;
  if (end > bytes.length) throw new OpcodeFailure(`${name} opcode claims to extend beyond program`);
  const places = Array.from({ length: count }, (_, index) => start + 1 + 2 * index);
  return { ...NONE, targets: places.map((place) => targets.readShortTarget(place, end)), end };
}
