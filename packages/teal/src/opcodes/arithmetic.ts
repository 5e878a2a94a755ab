import { inPlaceOf } from '../machine/integer-behind.ts';
import { type Machine, truth } from '../machine/machine.ts';
import type { OpcodeRow } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { kindOf, sameValue } from '../machine/stack-value.ts';
import { bitLength, bitLengthOfBytes, bytesToInteger, integerToBytes, squareRoot } from './big-integer.ts';
import { MAX_UINT64 } from '../go/number.ts';

/** Arithmetic, comparison and logic of 64-bit integers. */
export const ARITHMETIC_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x08, name: '+', stack: 'ii:i', since: 1, run: add },
  { byte: 0x09, name: '-', stack: 'ii:i', since: 1, run: subtract },
  { byte: 0x0a, name: '/', stack: 'ii:i', since: 1, run: divide },
  { byte: 0x0b, name: '*', stack: 'ii:i', since: 1, run: multiply },
  ofTwo(0x0c, '<', 'T', (left, right) => truth(left < right)),
  ofTwo(0x0d, '>', 'T', (left, right) => truth(left > right)),
  ofTwo(0x0e, '<=', 'T', (left, right) => truth(left <= right)),
  ofTwo(0x0f, '>=', 'T', (left, right) => truth(left >= right)),
  ofTwo(0x10, '&&', 'T', (left, right) => truth(left !== 0n && right !== 0n)),
  ofTwo(0x11, '||', 'T', (left, right) => truth(left !== 0n || right !== 0n)),
  { byte: 0x12, name: '==', stack: 'aa:T', since: 1, run: equal },
  { byte: 0x13, name: '!=', stack: 'aa:T', since: 1, run: notEqual },
  { byte: 0x14, name: '!', stack: 'i:i', since: 1, run: not },
  { byte: 0x16, name: 'itob', stack: 'i:{8}', since: 1, run: integerToByteString },
  { byte: 0x17, name: 'btoi', stack: 'b:i', since: 1, run: byteStringToInteger },
  { byte: 0x18, name: '%', stack: 'ii:i', since: 1, run: remainder },
  ofTwo(0x19, '|', 'i', (left, right) => left | right),
  ofTwo(0x1a, '&', 'i', (left, right) => left & right),
  ofTwo(0x1b, '^', 'i', (left, right) => left ^ right),
  { byte: 0x1c, name: '~', stack: 'i:i', since: 1, run: bitNot },
  { byte: 0x1d, name: 'mulw', stack: 'ii:ii', since: 1, run: multiplyWide },
  { byte: 0x1e, name: 'addw', stack: 'ii:ii', since: 2, run: addWide },
  { byte: 0x1f, name: 'divmodw', stack: 'iiii:iiii', cost: 20, since: 4, run: divideWideWithRemainder },
  { byte: 0x90, name: 'shl', stack: 'ii:i', since: 4, run: shiftLeft },
  { byte: 0x91, name: 'shr', stack: 'ii:i', since: 4, run: shiftRight },
  { byte: 0x92, name: 'sqrt', stack: 'i:i', cost: 4, since: 4, run: integerSquareRoot },
  { byte: 0x93, name: 'bitlen', stack: 'a:i', since: 4, run: lengthInBits },
  { byte: 0x94, name: 'exp', stack: 'ii:i', since: 4, run: power },
  { byte: 0x95, name: 'expw', stack: 'ii:ii', cost: 10, since: 4, run: powerWide },
  { byte: 0x97, name: 'divw', stack: 'iii:i', since: 6, run: divideWide },
];

/** An opcode of two integers that never fails. */
function ofTwo(
  byte: number,
  name: string,
  returns: 'i' | 'T',
  result: (left: bigint, right: bigint) => bigint,
): OpcodeRow {
  const run = (machine: Machine): void => machine.replace(2, result(machine.integer(1), machine.integer(0)));
  return { byte, name, stack: `ii:${returns}`, since: 1, run };
}

function add(machine: Machine): void {
  const sum = machine.integer(1) + machine.integer(0);
  if (sum > MAX_UINT64) throw new OpcodeFailure('+ overflowed');
  machine.replace(2, sum);
}

function subtract(machine: Machine): void {
  const difference = machine.integer(1) - machine.integer(0);
  if (difference < 0n) throw new OpcodeFailure('- would result negative');
  machine.replace(2, difference);
}

function divide(machine: Machine): void {
  const divisor = machine.integer(0);
  if (divisor === 0n) throw new OpcodeFailure('/ 0');
  machine.replace(2, machine.integer(1) / divisor);
}

function multiply(machine: Machine): void {
  const product = machine.integer(1) * machine.integer(0);
  if (product > MAX_UINT64) throw new OpcodeFailure('* overflowed');
  machine.replace(2, product);
}

function remainder(machine: Machine): void {
  const divisor = machine.integer(0);
  if (divisor === 0n) throw new OpcodeFailure('% 0');
  machine.replace(2, machine.integer(1) % divisor);
}

function not(machine: Machine): void {
  machine.replace(1, truth(machine.integer(0) === 0n));
}

function equal(machine: Machine): void {
  machine.replace(2, truth(areEqual(machine)));
}

function notEqual(machine: Machine): void {
  machine.replace(2, truth(!areEqual(machine)));
}

function areEqual(machine: Machine): boolean {
  const left = machine.value(1);
  const right = machine.value(0);
  if (typeof left !== typeof right) throw new OpcodeFailure(`cannot compare (${kindOf(left)} to ${kindOf(right)})`);
  return sameValue(left, right);
}

function integerToByteString(machine: Machine): void {
  const integer = machine.integer(0);
  machine.replace(1, inPlaceOf(integer, integerToBytes(integer, 8)));
}

function byteStringToInteger(machine: Machine): void {
  const bytes = machine.bytes(0);
  if (bytes.length > 8) throw new OpcodeFailure(`btoi arg too long, got ${bytes.length} bytes`);
  machine.replace(1, bytesToInteger(bytes));
}

function bitNot(machine: Machine): void {
  machine.replace(1, machine.integer(0) ^ MAX_UINT64);
}

function multiplyWide(machine: Machine): void {
  putWide(machine, machine.integer(1) * machine.integer(0));
}

function addWide(machine: Machine): void {
  putWide(machine, machine.integer(1) + machine.integer(0));
}

/** Pushes a 128-bit integer as two: its high half, then its low half. */
function putWide(machine: Machine, wide: bigint): void {
  machine.drop(2);
  machine.push(wide >> 64n);
  machine.push(wide & MAX_UINT64);
}

function divideWideWithRemainder(machine: Machine): void {
  const divisor = (machine.integer(1) << 64n) | machine.integer(0);
  const dividend = (machine.integer(3) << 64n) | machine.integer(2);
  if (divisor === 0n) throw new OpcodeFailure('/ 0');
  machine.drop(4);
  for (const wide of [dividend / divisor, dividend % divisor]) {
    machine.push(wide >> 64n);
    machine.push(wide & MAX_UINT64);
  }
}

function divideWide(machine: Machine): void {
  const divisor = machine.integer(0);
  const high = machine.integer(2);
  if (divisor === 0n) throw new OpcodeFailure('divw 0');
  if (divisor <= high) throw new OpcodeFailure(`divw overflow: ${divisor} <= ${high}`);
  machine.replace(3, ((high << 64n) | machine.integer(1)) / divisor);
}

function shiftLeft(machine: Machine): void {
  const shift = machine.integer(0);
  if (shift > 63n) throw new OpcodeFailure(`shl arg too big, (${shift})`);
  machine.replace(2, (machine.integer(1) << shift) & MAX_UINT64);
}

function shiftRight(machine: Machine): void {
  const shift = machine.integer(0);
  if (shift > 63n) throw new OpcodeFailure(`shr arg too big, (${shift})`);
  machine.replace(2, machine.integer(1) >> shift);
}

function integerSquareRoot(machine: Machine): void {
  machine.replace(1, squareRoot(machine.integer(0)));
}

function lengthInBits(machine: Machine): void {
  const value = machine.value(0);
  machine.replace(1, BigInt(typeof value === 'bigint' ? bitLength(value) : bitLengthOfBytes(value)));
}

function power(machine: Machine): void {
  const result = powerUpTo(machine, 64);
  machine.replace(2, result);
}

function powerWide(machine: Machine): void {
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
