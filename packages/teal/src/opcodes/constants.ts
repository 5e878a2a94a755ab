import type { Machine } from '../machine/machine.ts';
import { type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { NO_BYTES, type StackValue } from '../machine/stack-value.ts';

/** Constants in the program. */
export const CONSTANT_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x20, name: 'intcblock', immediates: [{ name: 'uint ...', kind: 'uints' }], since: 1, run: setIntegers },
  { byte: 0x21, name: 'intc', immediates: [uint8('i')], stack: ':i', since: 1, run: loadInteger },
  { byte: 0x22, name: 'intc_0', stack: ':i', since: 1, run: loadIntegerAt(0) },
  { byte: 0x23, name: 'intc_1', stack: ':i', since: 1, run: loadIntegerAt(1) },
  { byte: 0x24, name: 'intc_2', stack: ':i', since: 1, run: loadIntegerAt(2) },
  { byte: 0x25, name: 'intc_3', stack: ':i', since: 1, run: loadIntegerAt(3) },
  {
    byte: 0x26,
    name: 'bytecblock',
    immediates: [{ name: 'bytes ...', kind: 'byteStrings' }],
    since: 1,
    run: setByteStrings,
  },
  { byte: 0x27, name: 'bytec', immediates: [uint8('i')], stack: ':b', since: 1, run: loadByteString },
  { byte: 0x28, name: 'bytec_0', stack: ':b', since: 1, run: loadByteStringAt(0) },
  { byte: 0x29, name: 'bytec_1', stack: ':b', since: 1, run: loadByteStringAt(1) },
  { byte: 0x2a, name: 'bytec_2', stack: ':b', since: 1, run: loadByteStringAt(2) },
  { byte: 0x2b, name: 'bytec_3', stack: ':b', since: 1, run: loadByteStringAt(3) },
  {
    byte: 0x80,
    name: 'pushbytes',
    immediates: [{ name: 'bytes', kind: 'bytes' }],
    stack: ':b',
    since: 3,
    run: pushByteString,
  },
  {
    byte: 0x81,
    name: 'pushint',
    immediates: [{ name: 'uint', kind: 'uint' }],
    stack: ':i',
    since: 3,
    run: pushInteger,
  },
  { byte: 0x82, name: 'pushbytess', immediates: [{ name: 'bytes ...', kind: 'byteStrings' }], since: 8, run: pushMany },
  { byte: 0x83, name: 'pushints', immediates: [{ name: 'uint ...', kind: 'uints' }], since: 8, run: pushMany },
];

function setIntegers(machine: Machine, { constants }: Operands): void {
  machine.integers = constants;
}

function setByteStrings(machine: Machine, { constants }: Operands): void {
  machine.byteStrings = constants;
}

function pushInteger(machine: Machine, { constants }: Operands): void {
  machine.push(constants[0] ?? 0n);
}

function pushByteString(machine: Machine, { constants }: Operands): void {
  machine.push(constants[0] ?? NO_BYTES);
}

function pushMany(machine: Machine, { constants }: Operands): void {
  for (const constant of constants) machine.push(constant);
}

function loadInteger(machine: Machine, { first }: Operands): void {
  machine.push(constantOf(machine.integers, first, 'intc'));
}

function loadIntegerAt(index: number): (machine: Machine) => void {
  return (machine) => machine.push(constantOf(machine.integers, index, 'intc'));
}

function loadByteString(machine: Machine, { first }: Operands): void {
  machine.push(constantOf(machine.byteStrings, first, 'bytec'));
}

function loadByteStringAt(index: number): (machine: Machine) => void {
  return (machine) => machine.push(constantOf(machine.byteStrings, index, 'bytec'));
}

function constantOf(block: readonly StackValue[], index: number, name: string): StackValue {
  const value = block[index];
  if (value === undefined) throw new OpcodeFailure(`${name} ${index} beyond ${block.length} constants`);
  return value;
}
