import { sha256, sha512, sha512_256 } from '@avm402/algorand/hash';
import { keccak_256, sha3_256 } from '@noble/hashes/sha3.js';
import { mimcBls12_381, mimcBn254 } from '../crypto/mimc.ts';
import { poseidon2Bls12_381, poseidon2Bn254 } from '../crypto/poseidon2.ts';
import { sumhash512 } from '../crypto/sumhash.ts';
import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';

/** Replaces the bytes on top by their hash. */
const hashing =
  (hash: (bytes: Uint8Array) => Uint8Array) =>
  (machine: Machine): void =>
    machine.replace(1, hash(machine.bytes(0)));

export const hashSha256 = hashing(sha256);
export const hashKeccak256 = hashing(keccak_256);
export const hashSha512_256 = hashing(sha512_256);
export const hashSha512 = hashing(sha512);
export const hashSha3_256 = hashing(sha3_256);
export const hashSumhash512 = hashing(sumhash512);

/** By configuration number, which is known to be valid: an unknown one has no cost. */
export function hashMimc(machine: Machine, { first }: Operands): void {
  const hash = first === 0 ? mimcBn254 : mimcBls12_381;
  machine.replace(1, hash(machine.bytes(0)));
}

export function hashPoseidon2(machine: Machine, { first }: Operands): void {
  const hash = first === 0 ? poseidon2Bn254 : poseidon2Bls12_381;
  machine.replace(1, hash(machine.bytes(0)));
}
