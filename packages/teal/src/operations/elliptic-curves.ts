import { BLS12_381, BN254 } from '../crypto/pairing-curves.ts';
import { pairingGroup } from '../crypto/pairing-group.ts';
import { checkPairing } from '../crypto/pairing.ts';
import type { Operands } from '../machine/operands.ts';
import { type Machine, truth } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

/** Groups by number. */
const GROUPS = [pairingGroup(BN254.g1), pairingGroup(BN254.g2), pairingGroup(BLS12_381.g1), pairingGroup(BLS12_381.g2)];

export function addPoints(machine: Machine, { first }: Operands): void {
  machine.replace(2, groupOf(first).add(machine.bytes(1), machine.bytes(0)));
}

export function multiplyPoint(machine: Machine, { first }: Operands): void {
  machine.replace(2, groupOf(first).multiply(machine.bytes(1), machine.bytes(0)));
}

export function multiplyPoints(machine: Machine, { first }: Operands): void {
  machine.replace(2, groupOf(first).multiplyAll(machine.bytes(1), machine.bytes(0)));
}

export function checkSubgroup(machine: Machine, { first }: Operands): void {
  machine.replace(1, truth(groupOf(first).isInSubgroup(machine.bytes(0))));
}

export function mapToPoint(machine: Machine, { first }: Operands): void {
  machine.replace(1, groupOf(first).mapTo(machine.bytes(0)));
}

/** The group is that of the deeper operand; the other operand belongs to the curve's other group. */
export function checkPairingOfPoints(machine: Machine, { first }: Operands): void {
  const curve = first < 2 ? BN254 : BLS12_381;
  const deeper = machine.bytes(1);
  const top = machine.bytes(0);
  const isInG1 = first % 2 === 0;
  machine.replace(2, truth(checkPairing(curve, isInG1 ? deeper : top, isInG1 ? top : deeper)));
}

function groupOf(code: number): (typeof GROUPS)[number] {
  const group = GROUPS[code];
  if (group === undefined) throw new OpcodeFailure(`invalid ec group ${code}`);
  return group;
}
