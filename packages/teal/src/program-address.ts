import { sha512_256 } from '@avm402/algorand/hash';

const PREFIX = new TextEncoder().encode('Program');

/** The 32 bytes of the account that only a program controls: SHA-512/256 of "Program" and the program. */
export function programAddress(program: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(PREFIX.length + program.length);
  bytes.set(PREFIX);
  bytes.set(program, PREFIX.length);
  return sha512_256(bytes);
}
