import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { sameValue } from '../machine/stack-value.ts';

export function fail(): never {
  throw new OpcodeFailure('err opcode executed');
}

export function branch(machine: Machine, { targets }: Operands): void {
  machine.next = targets[0] ?? machine.next;
}

export function branchIfNotZero(machine: Machine, operands: Operands): void {
  const isTaken = machine.integer(0) !== 0n;
  machine.drop(1);
  if (isTaken) branch(machine, operands);
}

export function branchIfZero(machine: Machine, operands: Operands): void {
  const isTaken = machine.integer(0) === 0n;
  machine.drop(1);
  if (isTaken) branch(machine, operands);
}

/** Ends the program; only the top value stays on the stack. */
export function returnTop(machine: Machine): void {
  machine.replace(machine.stack.length, machine.integer(0));
  machine.finish();
}

export function assert(machine: Machine, { pc }: Operands): void {
  if (machine.integer(0) === 0n) throw new OpcodeFailure(`assert failed pc=${pc}`);
  machine.drop(1);
}

export function switchByIndex(machine: Machine, { targets }: Operands): void {
  const index = machine.integer(0);
  machine.drop(1);
  machine.next = (index < BigInt(targets.length) ? targets[Number(index)] : undefined) ?? machine.next;
}

/** Jumps to the target of the first value in the list that equals the top value. */
export function match(machine: Machine, { targets }: Operands): void {
  const { stack } = machine;
  const needed = targets.length + 1;
  if (stack.length < needed) {
    throw new OpcodeFailure(`match expects ${needed} stack args while stack only contains ${stack.length}`);
  }
  const sought = machine.value(0);
  const list = stack.slice(stack.length - needed, -1);
  machine.drop(needed);
  const found = list.findIndex((value) => typeof value === typeof sought && sameValue(value, sought));
  machine.next = targets[found] ?? machine.next;
}

export const popsLabels = (_machine: Machine, { targets }: Operands): number => targets.length + 1;
