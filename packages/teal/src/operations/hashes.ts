import { sha256, sha512, sha512_256 } from '@avm402/algorand/hash';
import { keccak_256, sha3_256 } from '@noble/hashes/sha3.js';
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
