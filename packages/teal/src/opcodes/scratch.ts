import type { Machine } from '../machine/machine.ts';
import { type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { SLOTS } from '../machine/limits.ts';

/** The 256 slots in which a program stores values. */
export const SCRATCH_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x34, name: 'load', immediates: [uint8('i')], stack: ':a', since: 1, run: load },
  {
    byte: 0x35,
    name: 'store',
    immediates: [uint8('i')],
    stack: 'a:',
    since: 1,
    run: store,
    stores: (_, { first }) => first,
  },
  { byte: 0x3e, name: 'loads', stack: 'i:a', since: 5, run: loadByStack },
  { byte: 0x3f, name: 'stores', stack: 'ia:', since: 5, run: storeByStack, stores: storesByStack },
];

function load(machine: Machine, { first }: Operands): void {
  machine.push(machine.load(first));
}

function store(machine: Machine, { first }: Operands): void {
  machine.store(first, machine.value(0));
  machine.drop(1);
}

function loadByStack(machine: Machine): void {
  machine.replace(1, machine.load(slotAt(machine, 0)));
}

function storeByStack(machine: Machine): void {
  machine.store(slotAt(machine, 1), machine.value(0));
  machine.drop(2);
}

function slotAt(machine: Machine, depth: number): number {
  const slot = machine.integer(depth);
  if (slot >= SLOTS) throw new OpcodeFailure(`invalid Scratch index ${slot}`);
  return Number(slot);
}

/** The slot that is written, for a trace. */
function storesByStack({ stack }: Machine): number | undefined {
  const slot = stack[stack.length - 2];
  return typeof slot === 'bigint' && slot < SLOTS ? Number(slot) : undefined;
}
