import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

export function argument(machine: Machine, { first }: Operands): void {
  machine.push(argumentOf(machine, BigInt(first)));
}

export const argumentAt =
  (index: bigint) =>
  (machine: Machine): void =>
    machine.push(argumentOf(machine, index));

export function argumentByStack(machine: Machine): void {
  const index = machine.integer(0);
  machine.drop(1);
  machine.push(argumentOf(machine, index));
}

function argumentOf({ context: { args } }: Machine, index: bigint): Uint8Array {
  const value = index < BigInt(args.length) ? args[Number(index)] : undefined;
  if (value === undefined) throw new OpcodeFailure(`cannot load arg[${index}] of ${args.length}`);
  return value;
}
