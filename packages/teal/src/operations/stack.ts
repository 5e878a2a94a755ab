import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { MAX_STACK } from '../machine/stack-value.ts';

export function pop(machine: Machine): void {
  machine.drop(1);
}

export function popMany(machine: Machine, { first: count }: Operands): void {
  const { length } = machine.stack;
  if (count > length) throw new OpcodeFailure(`popn ${count} while stack contains ${length}`);
  machine.drop(count);
}

export function duplicate(machine: Machine): void {
  machine.push(machine.value(0));
}

export function duplicateTwo(machine: Machine): void {
  machine.push(machine.value(1));
  machine.push(machine.value(1));
}

export function duplicateMany(machine: Machine, { first: count }: Operands): void {
  if (machine.stack.length + count > MAX_STACK) throw new OpcodeFailure('stack overflow');
  const value = machine.value(0);
  for (let copy = 0; copy < count; copy++) machine.push(value);
}

export function dig(machine: Machine, { first: depth }: Operands): void {
  checkDepth(machine, depth, 'dig');
  machine.push(machine.value(depth));
}

export function bury(machine: Machine, { first: depth }: Operands): void {
  const { stack } = machine;
  const place = stack.length - 1 - depth;
  if (depth === 0 || place < 0) throw new OpcodeFailure('bury outside stack');
  stack[place] = machine.value(0);
  machine.drop(1);
}

export function swap(machine: Machine): void {
  const upper = machine.value(0);
  const lower = machine.value(1);
  machine.drop(2);
  machine.push(upper);
  machine.push(lower);
}

export function select(machine: Machine): void {
  machine.replace(3, machine.integer(0) === 0n ? machine.value(2) : machine.value(1));
}

export function cover(machine: Machine, { first: depth }: Operands): void {
  checkDepth(machine, depth, 'cover');
  const top = machine.value(0);
  machine.drop(1);
  machine.stack.splice(machine.stack.length - depth, 0, top);
}

export function uncover(machine: Machine, { first: depth }: Operands): void {
  checkDepth(machine, depth, 'uncover');
  const value = machine.value(depth);
  machine.stack.splice(machine.stack.length - 1 - depth, 1);
  machine.push(value);
}

function checkDepth({ stack }: Machine, depth: number, name: string): void {
  if (depth >= stack.length) throw new OpcodeFailure(`${name} ${depth} with stack size = ${stack.length}`);
}

/** The number of values taken according to a trace, where it differs from the number of declared arguments. */
export const popsNothing = (): number => 0;
export const popsAsMany = (_machine: Machine, { first }: Operands): number => first;
export const popsDownTo = (_machine: Machine, { first }: Operands): number => first + 1;
export const popsAll = ({ stack }: Machine): number => stack.length;
