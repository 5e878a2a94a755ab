import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

const SLOTS = 256n;

export function load(machine: Machine, { first }: Operands): void {
  machine.push(machine.load(first));
}

export function store(machine: Machine, { first }: Operands): void {
  machine.store(first, machine.value(0));
  machine.drop(1);
}

export function loadByStack(machine: Machine): void {
  machine.replace(1, machine.load(slotAt(machine, 0)));
}

export function storeByStack(machine: Machine): void {
  machine.store(slotAt(machine, 1), machine.value(0));
  machine.drop(2);
}

function slotAt(machine: Machine, depth: number): number {
  const slot = machine.integer(depth);
  if (slot >= SLOTS) throw new OpcodeFailure(`invalid Scratch index ${slot}`);
  return Number(slot);
}

/** The slot that is written, for a trace. */
export const storesAt = (_machine: Machine, { first }: Operands): number => first;

export function storesByStack({ stack }: Machine): number | undefined {
  const slot = stack[stack.length - 2];
  return typeof slot === 'bigint' && slot < SLOTS ? Number(slot) : undefined;
}
