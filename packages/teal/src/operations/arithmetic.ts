import { type Machine, truth } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { kindOf, MAX_UINT64, sameValue } from '../machine/stack-value.ts';
import { bitLength, squareRoot } from './big-integer.ts';
import { bitLengthOfBytes, bytesToInteger, integerToBytes } from './byte-integer.ts';

export function add(machine: Machine): void {
  const sum = machine.integer(1) + machine.integer(0);
  if (sum > MAX_UINT64) throw new OpcodeFailure('+ overflowed');
  machine.replace(2, sum);
}

export function subtract(machine: Machine): void {
  const difference = machine.integer(1) - machine.integer(0);
  if (difference < 0n) throw new OpcodeFailure('- would result negative');
  machine.replace(2, difference);
}

export function divide(machine: Machine): void {
  const divisor = machine.integer(0);
  if (divisor === 0n) throw new OpcodeFailure('/ 0');
  machine.replace(2, machine.integer(1) / divisor);
}

export function multiply(machine: Machine): void {
  const product = machine.integer(1) * machine.integer(0);
  if (product > MAX_UINT64) throw new OpcodeFailure('* overflowed');
  machine.replace(2, product);
}

export function remainder(machine: Machine): void {
  const divisor = machine.integer(0);
  if (divisor === 0n) throw new OpcodeFailure('% 0');
  machine.replace(2, machine.integer(1) % divisor);
}

export function less(machine: Machine): void {
  machine.replace(2, truth(machine.integer(1) < machine.integer(0)));
}

export function greater(machine: Machine): void {
  machine.replace(2, truth(machine.integer(1) > machine.integer(0)));
}

export function lessOrEqual(machine: Machine): void {
  machine.replace(2, truth(machine.integer(1) <= machine.integer(0)));
}

export function greaterOrEqual(machine: Machine): void {
  machine.replace(2, truth(machine.integer(1) >= machine.integer(0)));
}

export function and(machine: Machine): void {
  machine.replace(2, truth(machine.integer(1) !== 0n && machine.integer(0) !== 0n));
}

export function or(machine: Machine): void {
  machine.replace(2, truth(machine.integer(1) !== 0n || machine.integer(0) !== 0n));
}

export function not(machine: Machine): void {
  machine.replace(1, truth(machine.integer(0) === 0n));
}

export function equal(machine: Machine): void {
  machine.replace(2, truth(areEqual(machine)));
}

export function notEqual(machine: Machine): void {
  machine.replace(2, truth(!areEqual(machine)));
}

function areEqual(machine: Machine): boolean {
  const left = machine.value(1);
  const right = machine.value(0);
  if (typeof left !== typeof right) throw new OpcodeFailure(`cannot compare (${kindOf(left)} to ${kindOf(right)})`);
  return sameValue(left, right);
}

export function integerToByteString(machine: Machine): void {
  machine.replace(1, integerToBytes(machine.integer(0), 8));
}

export function byteStringToInteger(machine: Machine): void {
  const bytes = machine.bytes(0);
  if (bytes.length > 8) throw new OpcodeFailure(`btoi arg too long, got ${bytes.length} bytes`);
  machine.replace(1, bytesToInteger(bytes));
}

export function bitOr(machine: Machine): void {
  machine.replace(2, machine.integer(1) | machine.integer(0));
}

export function bitAnd(machine: Machine): void {
  machine.replace(2, machine.integer(1) & machine.integer(0));
}

export function bitXor(machine: Machine): void {
  machine.replace(2, machine.integer(1) ^ machine.integer(0));
}

export function bitNot(machine: Machine): void {
  machine.replace(1, machine.integer(0) ^ MAX_UINT64);
}

export function multiplyWide(machine: Machine): void {
  putWide(machine, machine.integer(1) * machine.integer(0));
}

export function addWide(machine: Machine): void {
  putWide(machine, machine.integer(1) + machine.integer(0));
}

/** Pushes a 128-bit integer as two: its high half, then its low half. */
function putWide(machine: Machine, wide: bigint): void {
  machine.drop(2);
  machine.push(wide >> 64n);
  machine.push(wide & MAX_UINT64);
}

export function divideWideWithRemainder(machine: Machine): void {
  const divisor = (machine.integer(1) << 64n) | machine.integer(0);
  const dividend = (machine.integer(3) << 64n) | machine.integer(2);
  if (divisor === 0n) throw new OpcodeFailure('/ 0');
  machine.drop(4);
  for (const wide of [dividend / divisor, dividend % divisor]) {
    machine.push(wide >> 64n);
    machine.push(wide & MAX_UINT64);
  }
}

export function divideWide(machine: Machine): void {
  const divisor = machine.integer(0);
  const high = machine.integer(2);
  if (divisor === 0n) throw new OpcodeFailure('divw 0');
  if (divisor <= high) throw new OpcodeFailure(`divw overflow: ${divisor} <= ${high}`);
  machine.replace(3, ((high << 64n) | machine.integer(1)) / divisor);
}

export function shiftLeft(machine: Machine): void {
  const shift = machine.integer(0);
  if (shift > 63n) throw new OpcodeFailure(`shl arg too big, (${shift})`);
  machine.replace(2, (machine.integer(1) << shift) & MAX_UINT64);
}

export function shiftRight(machine: Machine): void {
  const shift = machine.integer(0);
  if (shift > 63n) throw new OpcodeFailure(`shr arg too big, (${shift})`);
  machine.replace(2, machine.integer(1) >> shift);
}

export function integerSquareRoot(machine: Machine): void {
  machine.replace(1, squareRoot(machine.integer(0)));
}

export function lengthInBits(machine: Machine): void {
  const value = machine.value(0);
  machine.replace(1, BigInt(typeof value === 'bigint' ? bitLength(value) : bitLengthOfBytes(value)));
}

export function power(machine: Machine): void {
  const result = powerUpTo(machine, 64);
  machine.replace(2, result);
}

export function powerWide(machine: Machine): void {
  putWide(machine, powerUpTo(machine, 128));
}

function powerUpTo(machine: Machine, bits: number): bigint {
  const base = machine.integer(1);
  const exponent = machine.integer(0);
  if (base === 0n && exponent === 0n) throw new OpcodeFailure('0^0 is undefined');
  if (base < 2n) return exponent === 0n ? 1n : base;
  // Each factor adds at least one bit.
  const result = exponent >= BigInt(bits) ? undefined : base ** exponent;
  if (result === undefined || bitLength(result) > bits) throw new OpcodeFailure(`${base}^${exponent} overflow`);
  return result;
}
