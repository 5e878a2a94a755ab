import { sha512_256 } from '@avm402/algorand/hash';
import { ed25519 } from '@noble/curves/ed25519.js';

const PREFIX = new TextEncoder().encode('Program');

/** The 32 bytes of the account that only a program controls: SHA-512/256 of "Program" and the program. */
export function programAddress(program: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(PREFIX.length + program.length);
  bytes.set(PREFIX);
  bytes.set(program, PREFIX.length);
  return sha512_256(bytes);
}

/**
 * Whether 32 bytes decode to a point of Edwards25519, so that they could be a public key. y need not be below the
 * field's prime, and the sign is ignored (go-algorand v5, basics.Address.IsPQCompliant).
 */
export function isCurvePoint(bytes: Uint8Array): boolean {
  const y = Uint8Array.from(bytes);
  y[31] = (y[31] ?? 0) & 0x7f;
  try {
    ed25519.Point.fromBytes(y, true);
    return true;
  } catch {
    return false;
  }
}
