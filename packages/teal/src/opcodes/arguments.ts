import type { Machine } from '../machine/machine.ts';
import { onlyIn, type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

/** Arguments of a logic signature. */
export const ARGUMENT_OPCODES: readonly OpcodeRow[] = onlyIn('signature', [
  { byte: 0x2c, name: 'arg', immediates: [uint8('n')], stack: ':b', since: 1, run: argument },
  { byte: 0x2d, name: 'arg_0', stack: ':b', since: 1, run: argumentAt(0n) },
  { byte: 0x2e, name: 'arg_1', stack: ':b', since: 1, run: argumentAt(1n) },
  { byte: 0x2f, name: 'arg_2', stack: ':b', since: 1, run: argumentAt(2n) },
  { byte: 0x30, name: 'arg_3', stack: ':b', since: 1, run: argumentAt(3n) },
  { byte: 0xc3, name: 'args', stack: 'i:b', since: 5, run: argumentByStack },
]);

function argument(machine: Machine, { first }: Operands): void {
  machine.push(argumentOf(machine, BigInt(first)));
}

function argumentAt(index: bigint): (machine: Machine) => void {
  return (machine) => machine.push(argumentOf(machine, index));
}

function argumentByStack(machine: Machine): void {
  const index = machine.integer(0);
  machine.drop(1);
  machine.push(argumentOf(machine, index));
}

function argumentOf({ context: { args } }: Machine, index: bigint): Uint8Array {
  const value = index < BigInt(args.length) ? args[Number(index)] : undefined;
  if (value === undefined) throw new OpcodeFailure(`cannot load arg[${index}] of ${args.length}`);
  return value;
}
