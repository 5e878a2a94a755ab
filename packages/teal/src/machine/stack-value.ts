import { sameBytes } from '@avm402/algorand/bytes';

/** A value on the stack: a 64-bit integer, or bytes, which are never changed in place. */
export type StackValue = bigint | Uint8Array;

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** The kind of a value, as messages name it. */
export function kindOf(value: StackValue): 'uint64' | '[]byte' {
  return typeof value === 'bigint' ? 'uint64' : '[]byte';
}

/** Whether every byte is zero. */
export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Whether two values of the same kind are equal. */
export function sameValue(left: StackValue, right: StackValue): boolean {
  return typeof left === 'bigint' || typeof right === 'bigint' ? left === right : sameBytes(left, right);
}

/**
 * The type that a value on the stack has or must have. Only its kind is checked when a program runs; opcodes check
 * lengths.
 */
export type StackType =
  | 'any'
  | 'uint64'
  | 'bool'
  | '[]byte'
  | 'address'
  | 'bigint'
  | 'stateKey'
  | 'boxName'
  | `[${number}]byte`;
