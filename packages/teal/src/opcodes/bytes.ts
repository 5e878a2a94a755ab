import { inPlaceOf, integerBehind } from '../machine/integer-behind.ts';
import type { Machine } from '../machine/machine.ts';
import { type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';
import { bytesToInteger } from './big-integer.ts';
import { MAX_BYTES } from '../machine/limits.ts';
import { MAX_UINT64 } from '../go/number.ts';

/** Byte strings: cutting, joining, single bits and bytes. */
export const BYTES_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x15, name: 'len', stack: 'b:i', since: 1, run: length },
  { byte: 0x50, name: 'concat', stack: 'bb:b', since: 2, run: concatenate },
  { byte: 0x51, name: 'substring', immediates: [uint8('s'), uint8('e')], stack: 'b:b', since: 2, run: substring },
  { byte: 0x52, name: 'substring3', stack: 'bii:b', since: 2, run: substringByStack },
  { byte: 0x53, name: 'getbit', stack: 'ai:i', since: 3, run: getBit },
  { byte: 0x54, name: 'setbit', stack: 'aii:a', since: 3, run: setBit },
  { byte: 0x55, name: 'getbyte', stack: 'bi:i', since: 3, run: getByte },
  { byte: 0x56, name: 'setbyte', stack: 'bii:b', since: 3, run: setByte },
  { byte: 0x57, name: 'extract', immediates: [uint8('s'), uint8('l')], stack: 'b:b', since: 5, run: extract },
  {
    byte: 0x58,
    name: 'extract3',
    formOf: { mnemonic: 'extract', keepsName: true },
    stack: 'bii:b',
    since: 5,
    run: extractByStack,
  },
  extractInteger(0x59, 'extract_uint16', 2n),
  extractInteger(0x5a, 'extract_uint32', 4n),
  extractInteger(0x5b, 'extract_uint64', 8n),
  {
    byte: 0x5c,
    name: 'replace2',
    formOf: { mnemonic: 'replace', keepsName: true },
    immediates: [uint8('s')],
    stack: 'bb:b',
    since: 7,
    run: replaceAt,
  },
  {
    byte: 0x5d,
    name: 'replace3',
    formOf: { mnemonic: 'replace', keepsName: true },
    stack: 'bib:b',
    since: 7,
    run: replaceByStack,
  },
  { byte: 0xaf, name: 'bzero', stack: 'i:b', since: 4, run: zeros },
];

const BEYOND_STRING = 'substring range beyond length of string';
/** Positions beyond algod's integers are out of range, and this is checked before anything else. */
const MAX_PLACE = 0x7fffffffn;

function length(machine: Machine): void {
  machine.replace(1, BigInt(machine.bytes(0).length));
}

function concatenate(machine: Machine): void {
  const left = machine.bytes(1);
  const right = machine.bytes(0);
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  machine.replace(2, inPlaceOf(left, joined));
}

function substring(machine: Machine, { first, second }: Operands): void {
  const bytes = machine.bytes(0);
  putPart(machine, 1, () => between(bytes, BigInt(first), BigInt(second)));
}

function substringByStack(machine: Machine): void {
  const start = machine.integer(1);
  const end = machine.integer(0);
  if (start > MAX_PLACE || end > MAX_PLACE) throw new OpcodeFailure(BEYOND_STRING);
  const bytes = machine.bytes(2);
  putPart(machine, 3, () => between(bytes, start, end));
}

/** Replaces the arguments by a part of bytes; if there is no such part, by the integer behind them before it fails. */
function putPart(machine: Machine, count: number, part: () => Uint8Array): void {
  const whole = machine.value(count - 1);
  try {
    machine.replace(count, inPlaceOf(whole, part()));
  } catch (error) {
    machine.replace(count, integerBehind(whole));
    throw error;
  }
}

function between(bytes: Uint8Array, start: bigint, end: bigint): Uint8Array {
  if (end < start) throw new OpcodeFailure('substring end before start');
  if (end > BigInt(bytes.length)) throw new OpcodeFailure(BEYOND_STRING);
  return bytes.subarray(Number(start), Number(end));
}

/** Length 0 means to the end. */
function extract(machine: Machine, { first, second }: Operands): void {
  const bytes = machine.bytes(0);
  const start = BigInt(first);
  const rest = BigInt(bytes.length) - start;
  putPart(machine, 1, () => extracted(bytes, start, second === 0 && rest > 0n ? rest : BigInt(second)));
}

function extractByStack(machine: Machine): void {
  const bytes = machine.bytes(2);
  const start = machine.integer(1);
  const size = machine.integer(0);
  putPart(machine, 3, () => extracted(bytes, start, size));
}

function extractInteger(byte: number, name: string, size: bigint): OpcodeRow {
  const run = (machine: Machine): void =>
    machine.replace(2, bytesToInteger(extracted(machine.bytes(1), machine.integer(0), size)));
  return { byte, name, stack: 'bi:i', since: 5, run };
}

function extracted(bytes: Uint8Array, start: bigint, size: bigint): Uint8Array {
  const { length: whole } = bytes;
  const end = start + size;
  if (start > BigInt(whole)) throw new OpcodeFailure(`extraction start ${start} is beyond length: ${whole}`);
  if (end > MAX_UINT64) throw new OpcodeFailure('extraction end exceeds uint64');
  if (end > BigInt(whole)) throw new OpcodeFailure(`extraction end ${end} is beyond length: ${whole}`);
  return bytes.subarray(Number(start), Number(end));
}

function replaceAt(machine: Machine, { first }: Operands): void {
  machine.replace(2, replaced(machine.bytes(1), BigInt(first), machine.bytes(0)));
}

function replaceByStack(machine: Machine): void {
  machine.replace(3, replaced(machine.bytes(2), machine.integer(1), machine.bytes(0)));
}

function replaced(original: Uint8Array, start: bigint, part: Uint8Array): Uint8Array {
  const { length: whole } = original;
  if (start > BigInt(whole)) throw new OpcodeFailure(`replacement start ${start} beyond length: ${whole}`);
  const end = start + BigInt(part.length);
  if (end > BigInt(whole)) throw new OpcodeFailure(`replacement end ${end} beyond original length: ${whole}`);
  const result = inPlaceOf(original, original.slice());
  result.set(part, Number(start));
  return result;
}

/**
 * Bits of an integer count from the least significant, bits of a byte string from the most significant of the first
 * byte.
 */
function getBit(machine: Machine): void {
  const target = machine.value(1);
  const index = machine.integer(0);
  checkBitIndex(target, index, 'getbit');
  if (typeof target === 'bigint') return machine.replace(2, (target >> index) & 1n);
  const { byte, mask } = bitPlace(index);
  return machine.replace(2, ((target[byte] ?? 0) & mask) === 0 ? 0n : 1n);
}

function setBit(machine: Machine): void {
  const target = machine.value(2);
  const index = machine.integer(1);
  const bit = machine.integer(0);
  if (bit > 1n) throw new OpcodeFailure('setbit value > 1');
  checkBitIndex(target, index, 'setbit');
  if (typeof target === 'bigint') {
    return machine.replace(3, bit === 1n ? target | (1n << index) : target & ~(1n << index));
  }
  const { byte, mask } = bitPlace(index);
  const result = inPlaceOf(target, target.slice());
  result[byte] = bit === 1n ? (target[byte] ?? 0) | mask : (target[byte] ?? 0) & ~mask;
  return machine.replace(3, result);
}

function checkBitIndex(target: StackValue, index: bigint, name: string): void {
  if (typeof target === 'bigint') {
    if (index > 63n) throw new OpcodeFailure(`${name} index > 63 with Uint`);
  } else if (index >= BigInt(target.length) * 8n) {
    throw new OpcodeFailure(`${name} index beyond byteslice`);
  }
}

function bitPlace(index: bigint): { readonly byte: number; readonly mask: number } {
  return { byte: Number(index >> 3n), mask: 0x80 >> Number(index & 7n) };
}

function getByte(machine: Machine): void {
  const byte = byteAt(machine.bytes(1), machine.integer(0), 'getbyte');
  machine.replace(2, BigInt(machine.bytes(1)[byte] ?? 0));
}

function setByte(machine: Machine): void {
  const target = machine.bytes(2);
  const value = machine.integer(0);
  if (value > 255n) throw new OpcodeFailure('setbyte value > 255');
  const place = byteAt(target, machine.integer(1), 'setbyte');
  const result = inPlaceOf(target, target.slice());
  result[place] = Number(value);
  machine.replace(3, result);
}

function byteAt(bytes: Uint8Array, index: bigint, name: string): number {
  if (index >= BigInt(bytes.length)) throw new OpcodeFailure(`${name} index beyond array length`);
  return Number(index);
}

function zeros(machine: Machine): void {
  const size = machine.integer(0);
  if (size > BigInt(MAX_BYTES)) throw new OpcodeFailure('bzero attempted to create a too large string');
  machine.replace(1, inPlaceOf(size, new Uint8Array(Number(size))));
}
