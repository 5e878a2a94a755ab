import { concatBytes } from '@noble/hashes/utils.js';
import { sha512_256 } from './hash.ts';

const PREFIX = new TextEncoder().encode('Program');

/** The bytes that a key signs to let a program act for its account: "Program" and the program. */
export function programSigningBytes(program: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, program);
}

/** The 32 bytes of the account that only a program controls: SHA-512/256 of what a key would sign. */
export function programAddress(program: Uint8Array): Uint8Array {
  return sha512_256(programSigningBytes(program));
}
