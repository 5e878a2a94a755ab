import { BLS12_381, BN254 } from '../crypto/pairing-curves.ts';
import { pairingGroup } from '../crypto/pairing-group.ts';
import { checkPairing } from '../crypto/pairing.ts';
import { type Machine, truth } from '../machine/machine.ts';
import { oneOf, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { fieldGroup } from '../machine/field-group.ts';

/** Groups of pairing-friendly curves. */
const EC_GROUPS = fieldGroup('EC', 'EcGroup', [
  { code: 0, name: 'BN254g1' },
  { code: 1, name: 'BN254g2' },
  { code: 2, name: 'BLS12_381g1' },
  { code: 3, name: 'BLS12_381g2' },
]);

const ROWS: readonly Omit<OpcodeRow, 'since'>[] = [
  { byte: 0xe0, name: 'ec_add', stack: 'bb:b', cost: { byField: [125, 170, 205, 290] }, run: addPoints },
  { byte: 0xe1, name: 'ec_scalar_mul', stack: 'bb:b', cost: { byField: [1810, 3430, 2950, 6530] }, run: multiplyPoint },
  {
    byte: 0xe2,
    name: 'ec_pairing_check',
    stack: 'bb:T',
    cost: {
      byField: [
        { base: 8000, each: 7400, per: 64, depth: 0 },
        { base: 8000, each: 7400, per: 128, depth: 0 },
        { base: 13000, each: 10000, per: 96, depth: 0 },
        { base: 13000, each: 10000, per: 192, depth: 0 },
      ],
    },
    run: checkPairingOfPoints,
  },
  {
    byte: 0xe3,
    name: 'ec_multi_scalar_mul',
    stack: 'bb:b',
    cost: {
      byField: [
        { base: 3600, each: 90, per: 32, depth: 0 },
        { base: 7200, each: 270, per: 32, depth: 0 },
        { base: 6500, each: 95, per: 32, depth: 0 },
        { base: 14850, each: 485, per: 32, depth: 0 },
      ],
    },
    run: multiplyPoints,
  },
  {
    byte: 0xe4,
    name: 'ec_subgroup_check',
    stack: 'b:T',
    cost: { byField: [20, 3100, 1850, 2340] },
    run: checkSubgroup,
  },
  { byte: 0xe5, name: 'ec_map_to', stack: 'b:b', cost: { byField: [630, 3300, 1950, 8150] }, run: mapToPoint },
];

/** Points of pairing-friendly curves. */
export const ELLIPTIC_CURVE_OPCODES: readonly OpcodeRow[] = ROWS.map((row) => ({
  ...row,
  immediates: [oneOf('g', EC_GROUPS)],
  since: 10,
}));

/** Groups by number. */
const GROUPS = [pairingGroup(BN254.g1), pairingGroup(BN254.g2), pairingGroup(BLS12_381.g1), pairingGroup(BLS12_381.g2)];

function addPoints(machine: Machine, { first }: Operands): void {
  machine.replace(2, groupOf(first).add(machine.bytes(1), machine.bytes(0)));
}

function multiplyPoint(machine: Machine, { first }: Operands): void {
  machine.replace(2, groupOf(first).multiply(machine.bytes(1), machine.bytes(0)));
}

function multiplyPoints(machine: Machine, { first }: Operands): void {
  machine.replace(2, groupOf(first).multiplyAll(machine.bytes(1), machine.bytes(0)));
}

function checkSubgroup(machine: Machine, { first }: Operands): void {
  machine.replace(1, truth(groupOf(first).isInSubgroup(machine.bytes(0))));
}

function mapToPoint(machine: Machine, { first }: Operands): void {
  machine.replace(1, groupOf(first).mapTo(machine.bytes(0)));
}

/** The group is that of the deeper operand; the other operand belongs to the curve's other group. */
function checkPairingOfPoints(machine: Machine, { first }: Operands): void {
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
