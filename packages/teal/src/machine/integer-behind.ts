import type { StackValue } from './stack-value.ts';

/** The integers by the bytes in front of them. */
const integers = new WeakMap<Uint8Array, bigint>();

/**
 * The integer that algod has in the place of a value. Opcodes put bytes there and leave the integer behind them; it is
 * seen again where one fails after it has taken the bytes away.
 */
export function integerBehind(value: StackValue): bigint {
  return typeof value === 'bigint' ? value : (integers.get(value) ?? 0n);
}

/** Puts bytes, which are nowhere else, in the place of a value. */
export function inPlaceOf(value: StackValue, bytes: Uint8Array): Uint8Array {
  const integer = integerBehind(value);
  if (integer !== 0n) integers.set(bytes, integer);
  return bytes;
}
