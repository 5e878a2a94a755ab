import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { NO_BYTES, type StackValue } from '../machine/stack-value.ts';

export function setIntegers(machine: Machine, { constants }: Operands): void {
  machine.integers = constants;
}

export function setByteStrings(machine: Machine, { constants }: Operands): void {
  machine.byteStrings = constants;
}

export function pushInteger(machine: Machine, { constants }: Operands): void {
  machine.push(constants[0] ?? 0n);
}

export function pushByteString(machine: Machine, { constants }: Operands): void {
  machine.push(constants[0] ?? NO_BYTES);
}

export function pushMany(machine: Machine, { constants }: Operands): void {
  for (const constant of constants) machine.push(constant);
}

export function loadInteger(machine: Machine, { first }: Operands): void {
  machine.push(constantOf(machine.integers, first, 'intc'));
}

export const loadIntegerAt =
  (index: number) =>
  (machine: Machine): void =>
    machine.push(constantOf(machine.integers, index, 'intc'));

export function loadByteString(machine: Machine, { first }: Operands): void {
  machine.push(constantOf(machine.byteStrings, first, 'bytec'));
}

export const loadByteStringAt =
  (index: number) =>
  (machine: Machine): void =>
    machine.push(constantOf(machine.byteStrings, index, 'bytec'));

function constantOf(block: readonly StackValue[], index: number, name: string): StackValue {
  const value = block[index];
  if (value === undefined) throw new OpcodeFailure(`${name} ${index} beyond ${block.length} constants`);
  return value;
}
