import type { Machine } from '../machine/machine.ts';
import { type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { MAX_STACK } from '../machine/limits.ts';

/** Opcodes that rearrange the stack. */
export const STACK_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x45,
    name: 'bury',
    immediates: [uint8('n')],
    stack: 'a:',
    since: 8,
    run: bury,
    pops: (_, { first }) => first + 1,
  },
  { byte: 0x46, name: 'popn', immediates: [uint8('n')], since: 8, run: popMany, pops: (_, { first }) => first },
  { byte: 0x47, name: 'dupn', immediates: [uint8('n')], stack: 'a:', since: 8, run: duplicateMany },
  { byte: 0x48, name: 'pop', stack: 'a:', since: 1, run: pop },
  { byte: 0x49, name: 'dup', stack: 'a:aa', since: 1, run: duplicate },
  { byte: 0x4a, name: 'dup2', stack: 'aa:aaaa', since: 2, run: duplicateTwo },
  { byte: 0x4b, name: 'dig', immediates: [uint8('n')], stack: 'a:aa', since: 3, run: dig, pops: () => 0 },
  { byte: 0x4c, name: 'swap', stack: 'aa:aa', since: 3, run: swap },
  { byte: 0x4d, name: 'select', stack: 'aai:a', since: 3, run: select },
  {
    byte: 0x4e,
    name: 'cover',
    immediates: [uint8('n')],
    stack: 'a:a',
    since: 5,
    run: cover,
    pops: (_, { first }) => first + 1,
  },
  {
    byte: 0x4f,
    name: 'uncover',
    immediates: [uint8('n')],
    stack: 'a:a',
    since: 5,
    run: uncover,
    pops: (_, { first }) => first + 1,
  },
];

function pop(machine: Machine): void {
  machine.drop(1);
}

function popMany(machine: Machine, { first: count }: Operands): void {
  const { length } = machine.stack;
  if (count > length) throw new OpcodeFailure(`popn ${count} while stack contains ${length}`);
  machine.drop(count);
}

function duplicate(machine: Machine): void {
  machine.push(machine.value(0));
}

function duplicateTwo(machine: Machine): void {
  machine.push(machine.value(1));
  machine.push(machine.value(1));
}

function duplicateMany(machine: Machine, { first: count }: Operands): void {
  if (machine.stack.length + count > MAX_STACK) throw new OpcodeFailure('stack overflow');
  const value = machine.value(0);
  for (let copy = 0; copy < count; copy++) machine.push(value);
}

function dig(machine: Machine, { first: depth }: Operands): void {
  checkDepth(machine, depth, 'dig');
  machine.push(machine.value(depth));
}

function bury(machine: Machine, { first: depth }: Operands): void {
  const { stack } = machine;
  const place = stack.length - 1 - depth;
  if (depth === 0 || place < 0) throw new OpcodeFailure('bury outside stack');
  stack[place] = machine.value(0);
  machine.drop(1);
}

function swap(machine: Machine): void {
  const upper = machine.value(0);
  const lower = machine.value(1);
  machine.drop(2);
  machine.push(upper);
  machine.push(lower);
}

function select(machine: Machine): void {
  machine.replace(3, machine.integer(0) === 0n ? machine.value(2) : machine.value(1));
}

function cover(machine: Machine, { first: depth }: Operands): void {
  checkDepth(machine, depth, 'cover');
  const top = machine.value(0);
  machine.drop(1);
  machine.stack.splice(machine.stack.length - depth, 0, top);
}

function uncover(machine: Machine, { first: depth }: Operands): void {
  checkDepth(machine, depth, 'uncover');
  const value = machine.value(depth);
  machine.stack.splice(machine.stack.length - 1 - depth, 1);
  machine.push(value);
}

function checkDepth({ stack }: Machine, depth: number, name: string): void {
  if (depth >= stack.length) throw new OpcodeFailure(`${name} ${depth} with stack size = ${stack.length}`);
}
