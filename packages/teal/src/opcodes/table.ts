import { ACCOUNT_OPCODES } from './accounts.ts';
import { APPLICATION_STATE_OPCODES } from './application-state.ts';
import { ARGUMENT_OPCODES } from './arguments.ts';
import { ARITHMETIC_OPCODES } from './arithmetic.ts';
import { ASSET_OPCODES } from './assets.ts';
import { BOX_OPCODES } from './boxes.ts';
import { BYTE_MATH_OPCODES } from './byte-math.ts';
import { BYTES_OPCODES } from './bytes.ts';
import { CONSTANT_OPCODES } from './constants.ts';
import { ELLIPTIC_CURVE_OPCODES } from './elliptic-curves.ts';
import { ENVIRONMENT_OPCODES } from './environment.ts';
import { FLOW_OPCODES } from './flow.ts';
import { GROUP_STATE_OPCODES } from './group-state.ts';
import { HASH_OPCODES } from './hashes.ts';
import { INNER_TRANSACTION_OPCODES } from './inner-transactions.ts';
import { SCRATCH_OPCODES } from './scratch.ts';
import { SIGNATURE_OPCODES } from './signatures.ts';
import { STACK_OPCODES } from './stack.ts';
import { SUBROUTINE_OPCODES } from './subroutines.ts';
import { TEXT_OPCODES } from './text.ts';
import { TRANSACTION_OPCODES } from './transactions.ts';
import { encodeHex } from '../go/hex.ts';
import { EVERY_MODE, type Opcode, type OpcodeRow, PREFIX_BYTE } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackType } from '../machine/stack-value.ts';

const ROWS: readonly OpcodeRow[] = [
  ...FLOW_OPCODES,
  ...HASH_OPCODES,
  ...SIGNATURE_OPCODES,
  ...ARITHMETIC_OPCODES,
  ...BYTES_OPCODES,
  ...CONSTANT_OPCODES,
  ...ARGUMENT_OPCODES,
  ...TRANSACTION_OPCODES,
  ...ENVIRONMENT_OPCODES,
  ...SCRATCH_OPCODES,
  ...STACK_OPCODES,
  ...TEXT_OPCODES,
  ...SUBROUTINE_OPCODES,
  ...BYTE_MATH_OPCODES,
  ...ELLIPTIC_CURVE_OPCODES,
  ...ACCOUNT_OPCODES,
  ...APPLICATION_STATE_OPCODES,
  ...ASSET_OPCODES,
  ...GROUP_STATE_OPCODES,
  ...INNER_TRANSACTION_OPCODES,
  ...BOX_OPCODES,
];

const TYPES: Readonly<Record<string, StackType>> = {
  a: 'any',
  i: 'uint64',
  T: 'bool',
  b: '[]byte',
  I: 'bigint',
  K: 'stateKey',
  N: 'boxName',
};

function typesOf(letters: string): StackType[] {
  return Array.from(letters.matchAll(/\{(\d+)\}|./g), ([letter, length]) => {
    const type = length === undefined ? TYPES[letter] : (`[${Number(length)}]byte` as const);
    if (type === undefined) throw new TypeError(`no type has the letter ${letter}`);
    return type;
  });
}

function opcodeOf({ stack = ':', ...row }: Omit<OpcodeRow, 'later'>): Opcode {
  const [args = '', returns = ''] = stack.split(':');
  return { immediates: [], cost: 1, modes: EVERY_MODE, ...row, args: typesOf(args), returns: typesOf(returns) };
}

/** Every opcode of every version. Of two with the same byte, the one with the later `since` is newer. */
export const OPCODES: readonly Opcode[] = ROWS.flatMap(({ later, ...row }) =>
  later === undefined ? [opcodeOf(row)] : [opcodeOf(row), opcodeOf({ ...row, ...later })],
);

/** The latest version with opcodes here; `LATEST_VERSION` is the latest that a network runs. */
export const NEWEST_VERSION = 14;

/** The latest version that today's networks run. */
export const LATEST_VERSION = 13;

/** The opcodes of one version, by a program's bytes and by a source's names. */
export interface OpcodeTable {
  /** Undefined for the prefix byte and for bytes that are not an opcode of the version. */
  readonly byByte: readonly (Opcode | undefined)[];
  /** Opcodes after the prefix byte, by the byte that follows it. */
  readonly bySubByte: readonly (Opcode | undefined)[];
  readonly byName: ReadonlyMap<string, Opcode>;
}

const TABLES: readonly OpcodeTable[] = Array.from({ length: NEWEST_VERSION + 1 }, (_, version) => tableOf(version));

/** The opcodes of a version; version 0 has those of version 1. Nonexistent versions have none. */
export function opcodesOf(version: number): OpcodeTable {
  return TABLES[version] ?? { byByte: [], bySubByte: [], byName: new Map() };
}

/**
 * The opcode at a position of a program.
 * @throws OpcodeFailure
 */
export function opcodeAt(program: Uint8Array, pc: number, { byByte, bySubByte }: OpcodeTable): Opcode {
  const byte = program[pc] ?? 0;
  const opcode = byByte[byte];
  if (opcode !== undefined) return opcode;
  if (byte !== PREFIX_BYTE || bySubByte.length === 0) throw new OpcodeFailure(`illegal opcode ${hex(byte)}`);
  const second = program[pc + 1];
  if (second === undefined) throw new OpcodeFailure(`prefix opcode ${hex(byte)} missing sub-opcode`);
  const prefixed = bySubByte[second];
  if (prefixed !== undefined) return prefixed;
  throw new OpcodeFailure(`prefix opcode ${hex(byte)} with improper sub-opcode ${hex(second)}`);
}

const hex = (byte: number): string => encodeHex(Uint8Array.of(byte));

/** The size of an opcode in bytes, without its immediates. */
export function opcodeSize({ subByte }: Opcode): number {
  return subByte === undefined ? 1 : 2;
}

function tableOf(version: number): OpcodeTable {
  const byName = new Map<string, Opcode>();
  for (const opcode of OPCODES) {
    const known = byName.get(opcode.name);
    if (opcode.since > Math.max(version, 1) || (known !== undefined && known.since > opcode.since)) continue;
    byName.set(opcode.name, opcode);
  }
  const byByte: (Opcode | undefined)[] = [];
  const bySubByte: (Opcode | undefined)[] = [];
  for (const opcode of byName.values()) {
    if (opcode.subByte === undefined) byByte[opcode.byte] = opcode;
    else bySubByte[opcode.subByte] = opcode;
  }
  return { byByte, bySubByte, byName };
}
