import { sha512_256 } from '@avm402/algorand/hash';
import { concatBytes } from '@noble/hashes/utils.js';

const PREFIX = new TextEncoder().encode('Program');

/** The 32 bytes of the account that only a program controls: SHA-512/256 of "Program" and the program. */
export function programAddress(program: Uint8Array): Uint8Array {
  return sha512_256(concatBytes(PREFIX, program));
}
