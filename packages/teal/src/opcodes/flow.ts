import type { Machine } from '../machine/machine.ts';
import type { Immediate, OpcodeRow, Operands } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { sameValue } from '../machine/stack-value.ts';

const TARGET: Immediate = { name: 'target', kind: 'label' };
const TARGETS: Immediate = { name: 'target ...', kind: 'labels' };

/** Branches and program ends. */
export const FLOW_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x00, name: 'err', since: 1, run: fail, endsFlow: true },
  { byte: 0x40, name: 'bnz', immediates: [TARGET], stack: 'i:', since: 1, run: branchIfNotZero },
  { byte: 0x41, name: 'bz', immediates: [TARGET], stack: 'i:', since: 2, run: branchIfZero },
  { byte: 0x42, name: 'b', immediates: [TARGET], since: 2, run: branch, endsFlow: true },
  {
    byte: 0x43,
    name: 'return',
    stack: 'i:',
    since: 2,
    run: returnTop,
    pops: ({ stack }) => stack.length,
    endsFlow: true,
  },
  { byte: 0x44, name: 'assert', stack: 'i:', since: 3, run: assert },
  { byte: 0x8d, name: 'switch', immediates: [TARGETS], stack: 'i:', since: 8, run: switchByIndex },
  {
    byte: 0x8e,
    name: 'match',
    immediates: [TARGETS],
    stack: 'a:',
    since: 8,
    run: match,
    pops: (_, { targets }) => targets.length + 1,
  },
];

function fail(): never {
  throw new OpcodeFailure('err opcode executed');
}

function branch(machine: Machine, { targets }: Operands): void {
  machine.next = targets[0] ?? machine.next;
}

function branchIfNotZero(machine: Machine, operands: Operands): void {
  const isTaken = machine.integer(0) !== 0n;
  machine.drop(1);
  if (isTaken) branch(machine, operands);
}

function branchIfZero(machine: Machine, operands: Operands): void {
  const isTaken = machine.integer(0) === 0n;
  machine.drop(1);
  if (isTaken) branch(machine, operands);
}

/** Ends the program; only the top value stays on the stack. */
function returnTop(machine: Machine): void {
  machine.replace(machine.stack.length, machine.integer(0));
  machine.finish();
}

function assert(machine: Machine, { pc }: Operands): void {
  if (machine.integer(0) === 0n) throw new OpcodeFailure(`assert failed pc=${pc}`);
  machine.drop(1);
}

function switchByIndex(machine: Machine, { targets }: Operands): void {
  const index = machine.integer(0);
  machine.drop(1);
  machine.next = (index < BigInt(targets.length) ? targets[Number(index)] : undefined) ?? machine.next;
}

/** Jumps to the target of the first value in the list that equals the top value. */
function match(machine: Machine, { targets }: Operands): void {
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
