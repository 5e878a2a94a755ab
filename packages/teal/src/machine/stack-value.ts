/** A value on the stack: a 64-bit integer, or bytes, which are never changed in place. */
export type StackValue = bigint | Uint8Array;

/** The largest integer on the stack. */
export const MAX_UINT64 = 0xffffffffffffffffn;

/** The longest byte string on the stack. */
export const MAX_BYTES = 4096;

/** The most values on the stack. */
export const MAX_STACK = 1000;

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** The kind of a value, as messages name it. */
export function kindOf(value: StackValue): 'uint64' | '[]byte' {
  return typeof value === 'bigint' ? 'uint64' : '[]byte';
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** Whether two values of the same kind are equal. */
export function sameValue(left: StackValue, right: StackValue): boolean {
  return typeof left === 'bigint' || typeof right === 'bigint' ? left === right : sameBytes(left, right);
}
