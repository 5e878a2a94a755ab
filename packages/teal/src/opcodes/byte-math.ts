import { type Machine, truth } from '../machine/machine.ts';
import type { OpcodeRow } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { bytesToInteger, integerToShortestBytes, squareRoot } from './big-integer.ts';

/** Big-endian numbers of up to 64 bytes. */
export const BYTE_MATH_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x96, name: 'bsqrt', stack: 'I:I', cost: 40, since: 6, run: squareRootOfBytes },
  { byte: 0xa0, name: 'b+', stack: 'II:b', cost: 10, since: 4, run: addBytes },
  { byte: 0xa1, name: 'b-', stack: 'II:I', cost: 10, since: 4, run: subtractBytes },
  { byte: 0xa2, name: 'b/', stack: 'II:I', cost: 20, since: 4, run: divideBytes },
  { byte: 0xa3, name: 'b*', stack: 'II:b', cost: 20, since: 4, run: multiplyBytes },
  comparison(0xa4, 'b<', (left, right) => left < right),
  comparison(0xa5, 'b>', (left, right) => left > right),
  comparison(0xa6, 'b<=', (left, right) => left <= right),
  comparison(0xa7, 'b>=', (left, right) => left >= right),
  comparison(0xa8, 'b==', (left, right) => left === right),
  comparison(0xa9, 'b!=', (left, right) => left !== right),
  { byte: 0xaa, name: 'b%', stack: 'II:I', cost: 20, since: 4, run: remainderOfBytes },
  bitwise(0xab, 'b|', (left, right) => left | right),
  bitwise(0xac, 'b&', (left, right) => left & right),
  bitwise(0xad, 'b^', (left, right) => left ^ right),
  { byte: 0xae, name: 'b~', stack: 'b:b', cost: 4, since: 4, run: notBytes },
];

const MAX_OPERAND = 64;

/** A number given as bytes. Too many bytes are refused even if they begin with zeros. */
function operand(machine: Machine, depth: number): bigint {
  const bytes = machine.bytes(depth);
  if (bytes.length > MAX_OPERAND) throw new OpcodeFailure('math attempted on large byte-array');
  return bytesToInteger(bytes);
}

function comparison(byte: number, name: string, holds: (left: bigint, right: bigint) => boolean): OpcodeRow {
  const run = (machine: Machine): void => machine.replace(2, truth(holds(operand(machine, 1), operand(machine, 0))));
  return { byte, name, stack: 'II:T', since: 4, run };
}

/** Pads the shorter operand with leading zeros. */
function bitwise(byte: number, name: string, combined: (left: number, right: number) => number): OpcodeRow {
  const run = (machine: Machine): void => {
    const length = Math.max(machine.bytes(1).length, machine.bytes(0).length);
    const left = padded(machine.bytes(1), length);
    const result = padded(machine.bytes(0), length);
    for (let index = 0; index < length; index++) result[index] = combined(left[index] ?? 0, result[index] ?? 0);
    machine.replace(2, result);
  };
  return { byte, name, stack: 'bb:b', cost: 6, since: 4, run };
}

function addBytes(machine: Machine): void {
  machine.replace(2, integerToShortestBytes(operand(machine, 1) + operand(machine, 0)));
}

function subtractBytes(machine: Machine): void {
  const difference = operand(machine, 1) - operand(machine, 0);
  if (difference < 0n) throw new OpcodeFailure('byte math would have negative result');
  machine.replace(2, integerToShortestBytes(difference));
}

function multiplyBytes(machine: Machine): void {
  machine.replace(2, integerToShortestBytes(operand(machine, 1) * operand(machine, 0)));
}

function divideBytes(machine: Machine): void {
  machine.replace(2, integerToShortestBytes(quotient(machine, 'division by zero', (left, right) => left / right)));
}

function remainderOfBytes(machine: Machine): void {
  machine.replace(2, integerToShortestBytes(quotient(machine, 'modulo by zero', (left, right) => left % right)));
}

function quotient(machine: Machine, problem: string, divide: (left: bigint, right: bigint) => bigint): bigint {
  const left = operand(machine, 1);
  const right = operand(machine, 0);
  if (right !== 0n) return divide(left, right);
  // algod puts a zero on the stack before it checks.
  machine.replace(2, new Uint8Array(0));
  throw new OpcodeFailure(problem);
}

function squareRootOfBytes(machine: Machine): void {
  machine.replace(1, integerToShortestBytes(squareRoot(operand(machine, 0))));
}

/** A copy padded with leading zeros. */
function padded(bytes: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  copy.set(bytes, length - bytes.length);
  return copy;
}

function notBytes(machine: Machine): void {
  machine.replace(
    1,
    machine.bytes(0).map((byte) => ~byte),
  );
}
