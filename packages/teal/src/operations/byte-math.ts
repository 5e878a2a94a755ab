import { type Machine, truth } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { squareRoot } from './big-integer.ts';
import { bytesToInteger, integerToShortestBytes } from './byte-integer.ts';

const MAX_OPERAND = 64;

/** A number given as bytes. Too many bytes are refused even if they begin with zeros. */
function operand(machine: Machine, depth: number): bigint {
  const bytes = machine.bytes(depth);
  if (bytes.length > MAX_OPERAND) throw new OpcodeFailure('math attempted on large byte-array');
  return bytesToInteger(bytes);
}

export function addBytes(machine: Machine): void {
  machine.replace(2, integerToShortestBytes(operand(machine, 1) + operand(machine, 0)));
}

export function subtractBytes(machine: Machine): void {
  const difference = operand(machine, 1) - operand(machine, 0);
  if (difference < 0n) throw new OpcodeFailure('byte math would have negative result');
  machine.replace(2, integerToShortestBytes(difference));
}

export function multiplyBytes(machine: Machine): void {
  machine.replace(2, integerToShortestBytes(operand(machine, 1) * operand(machine, 0)));
}

export function divideBytes(machine: Machine): void {
  machine.replace(2, integerToShortestBytes(quotient(machine, 'division by zero', (left, right) => left / right)));
}

export function remainderOfBytes(machine: Machine): void {
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

export function lessBytes(machine: Machine): void {
  machine.replace(2, truth(operand(machine, 1) < operand(machine, 0)));
}

export function greaterBytes(machine: Machine): void {
  machine.replace(2, truth(operand(machine, 1) > operand(machine, 0)));
}

export function lessOrEqualBytes(machine: Machine): void {
  machine.replace(2, truth(operand(machine, 1) <= operand(machine, 0)));
}

export function greaterOrEqualBytes(machine: Machine): void {
  machine.replace(2, truth(operand(machine, 1) >= operand(machine, 0)));
}

export function equalBytes(machine: Machine): void {
  machine.replace(2, truth(operand(machine, 1) === operand(machine, 0)));
}

export function notEqualBytes(machine: Machine): void {
  machine.replace(2, truth(operand(machine, 1) !== operand(machine, 0)));
}

export function squareRootOfBytes(machine: Machine): void {
  machine.replace(1, integerToShortestBytes(squareRoot(operand(machine, 0))));
}

export function orBytes(machine: Machine): void {
  combine(machine, (left, right) => left | right);
}

export function andBytes(machine: Machine): void {
  combine(machine, (left, right) => left & right);
}

export function xorBytes(machine: Machine): void {
  combine(machine, (left, right) => left ^ right);
}

/** Pads the shorter operand with leading zeros. */
function combine(machine: Machine, combined: (left: number, right: number) => number): void {
  const length = Math.max(machine.bytes(1).length, machine.bytes(0).length);
  const left = padded(machine.bytes(1), length);
  const result = padded(machine.bytes(0), length);
  for (let index = 0; index < length; index++) result[index] = combined(left[index] ?? 0, result[index] ?? 0);
  machine.replace(2, result);
}

/** A copy padded with leading zeros. */
function padded(bytes: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  copy.set(bytes, length - bytes.length);
  return copy;
}

export function notBytes(machine: Machine): void {
  machine.replace(
    1,
    machine.bytes(0).map((byte) => ~byte),
  );
}
