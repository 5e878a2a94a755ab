import type { StackType } from '../machine/stack-value.ts';
import { MAX_BYTES } from '../machine/limits.ts';
import { MAX_UINT64 } from '../go/number.ts';

/** The assembler's knowledge of a value: its kind, and bounds for its number or its length. */
export interface ValueType {
  readonly kind: 'any' | 'uint64' | 'bytes';
  readonly low: bigint;
  readonly high: bigint;
  /** The name that messages print. */
  readonly name: string;
}

export const ANY: ValueType = { kind: 'any', low: 0n, high: 0n, name: 'any' };
export const UINT64: ValueType = { kind: 'uint64', low: 0n, high: MAX_UINT64, name: 'uint64' };
export const BYTES: ValueType = { kind: 'bytes', low: 0n, high: BigInt(MAX_BYTES), name: '[]byte' };

/** Numbers within bounds, and named by them. */
export function numbers(low: bigint, high: bigint): ValueType {
  return { kind: 'uint64', low, high, name: numberName(low, high) };
}

/** Byte strings whose lengths are within bounds, and named by them. */
export function byteStrings(low: bigint, high: bigint): ValueType {
  return { kind: 'bytes', low, high, name: bytesName(low, high) };
}

function numberName(low: bigint, high: bigint): string {
  if (low === high) return String(low);
  if (low === 0n) return high === MAX_UINT64 ? 'uint64' : `uint64 (<= ${high})`;
  return `uint64 (${low}-${high})`;
}

function bytesName(low: bigint, high: bigint): string {
  if (low === high) return `[${low}]byte`;
  if (low === 0n) return high === BYTES.high ? '[]byte' : `[<=${high}]byte`;
  return `[${low}-${high}]byte`;
}

const NAMED: Readonly<Record<string, ValueType>> = {
  any: ANY,
  uint64: UINT64,
  '[]byte': BYTES,
  bool: { ...numbers(0n, 1n), name: 'bool' },
  address: { ...byteStrings(32n, 32n), name: 'address' },
  bigint: { ...byteStrings(0n, 64n), name: 'bigint' },
  stateKey: { ...byteStrings(0n, 64n), name: 'stateKey' },
  boxName: { ...byteStrings(1n, 64n), name: 'boxName' },
};

/** The type that the opcode table declares. */
export function valueTypeOf(declared: StackType): ValueType {
  const named = NAMED[declared];
  if (named !== undefined) return named;
  const length = BigInt(declared.slice(1, declared.indexOf(']')));
  return byteStrings(length, length);
}

/** Whether a value may be of the wanted type. */
export function fits(got: ValueType, wanted: ValueType): boolean {
  if (got.kind === 'any' || wanted.kind === 'any') return true;
  return got.kind === wanted.kind && got.low <= wanted.high && got.high >= wanted.low;
}

/** The type of a value that has one of two types. */
export function join(one: ValueType, other: ValueType): ValueType {
  if (isSame(one, other)) return one;
  if (one.kind !== other.kind || one.kind === 'any') return ANY;
  const low = one.low < other.low ? one.low : other.low;
  const high = one.high > other.high ? one.high : other.high;
  return one.kind === 'uint64' ? numbers(low, high) : byteStrings(low, high);
}

export function isSame(one: ValueType, other: ValueType): boolean {
  return one.kind === other.kind && one.low === other.low && one.high === other.high && one.name === other.name;
}

/** A type without its bounds. */
export function kindOf({ kind }: ValueType): ValueType {
  if (kind === 'any') return ANY;
  return kind === 'uint64' ? UINT64 : BYTES;
}
