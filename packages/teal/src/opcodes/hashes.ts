import { sha256, sha512, sha512_256 } from '@avm402/algorand/hash';
import { keccak_256, sha3_256 } from '@noble/hashes/sha3.js';
import { mimcBls12_381, mimcBn254 } from '../crypto/mimc.ts';
import { poseidon2Bls12_381, poseidon2Bn254 } from '../crypto/poseidon2.ts';
import { sumhash512 } from '../crypto/sumhash.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { fieldGroup } from '../machine/field-group.ts';

/** Parameters of MiMC. */
const MIMC_CONFIGURATIONS = fieldGroup('Mimc Configurations', 'MimcConfig', [
  { code: 0, name: 'BN254Mp110' },
  { code: 1, name: 'BLS12_381Mp111' },
]);

/** Parameters of Poseidon2. */
const POSEIDON2_CONFIGURATIONS = fieldGroup('Poseidon2 Configurations', 'Poseidon2Config', [
  { code: 0, name: 'BN254t2' },
  { code: 1, name: 'BLS12_381t2' },
]);

/** Hash functions. */
export const HASH_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x01,
    name: 'sha256',
    stack: 'b:{32}',
    cost: 7,
    since: 1,
    later: { since: 2, cost: 35 },
    run: hashing(sha256),
  },
  {
    byte: 0x02,
    name: 'keccak256',
    stack: 'b:{32}',
    cost: 26,
    since: 1,
    later: { since: 2, cost: 130 },
    run: hashing(keccak_256),
  },
  {
    byte: 0x03,
    name: 'sha512_256',
    stack: 'b:{32}',
    cost: 9,
    since: 1,
    later: { since: 2, cost: 45 },
    run: hashing(sha512_256),
  },
  {
    byte: 0x87,
    name: 'sha512',
    stack: 'b:{64}',
    cost: { base: 15, each: 2, per: 32, depth: 0 },
    since: 13,
    run: hashing(sha512),
  },
  { byte: 0x98, name: 'sha3_256', stack: 'b:{32}', cost: 130, since: 7, run: hashing(sha3_256) },
  {
    byte: 0xe6,
    name: 'mimc',
    immediates: [oneOf('c', MIMC_CONFIGURATIONS)],
    stack: 'b:{32}',
    cost: {
      byField: [
        { base: 10, each: 550, per: 32, depth: 0 },
        { base: 10, each: 550, per: 32, depth: 0 },
      ],
    },
    since: 11,
    run: hashMimc,
  },
  {
    byte: 0xe7,
    name: 'poseidon2',
    immediates: [oneOf('c', POSEIDON2_CONFIGURATIONS)],
    stack: 'b:{32}',
    cost: {
      byField: [
        { base: 7, each: 350, per: 32, depth: 0 },
        { base: 7, each: 350, per: 32, depth: 0 },
      ],
    },
    since: 13,
    run: hashPoseidon2,
  },
  {
    byte: 0x86,
    name: 'sumhash512',
    stack: 'b:{64}',
    cost: { base: 150, each: 7, per: 4, depth: 0 },
    since: 14,
    run: hashing(sumhash512),
  },
];

/** Replaces the bytes on top by their hash. */
function hashing(hash: (bytes: Uint8Array) => Uint8Array): (machine: Machine) => void {
  return (machine) => machine.replace(1, hash(machine.bytes(0)));
}

/** By configuration number, which is known to be valid: an unknown one has no cost. */
function hashMimc(machine: Machine, { first }: Operands): void {
  const hash = first === 0 ? mimcBn254 : mimcBls12_381;
  machine.replace(1, hash(machine.bytes(0)));
}

function hashPoseidon2(machine: Machine, { first }: Operands): void {
  const hash = first === 0 ? poseidon2Bn254 : poseidon2Bls12_381;
  machine.replace(1, hash(machine.bytes(0)));
}
