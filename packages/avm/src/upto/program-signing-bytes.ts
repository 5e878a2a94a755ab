/** What the AVM puts before a program that a key signs. */
const DOMAIN = new TextEncoder().encode('Program');

/** What a key signs to let a program act for its account. */
export function programSigningBytes(program: Uint8Array): Uint8Array {
  return Uint8Array.from([...DOMAIN, ...program]);
}
