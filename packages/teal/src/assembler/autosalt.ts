import { sha512_256 } from '@avm402/algorand/hash';
import { ed25519 } from '@noble/curves/ed25519.js';

const PREFIX = new TextEncoder().encode('Program');

/** The 32 bytes of a program's address. */
export function programHash(program: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(PREFIX.length + program.length);
  bytes.set(PREFIX);
  bytes.set(program, PREFIX.length);
  return sha512_256(bytes);
}

/** Whether a program's address could be a public key: then somebody might own it. */
export function hasKeyAddress(program: Uint8Array): boolean {
  return isCurvePoint(programHash(program));
}

/** Whether 32 bytes decode to a point of Edwards25519; y need not be below the field's prime, the sign is not looked at. */
function isCurvePoint(bytes: Uint8Array): boolean {
  const y = Uint8Array.from(bytes);
  y[31] = (y[31] ?? 0) & 0x7f;
  try {
    ed25519.Point.fromBytes(y, true);
    return true;
  } catch {
    return false;
  }
}
