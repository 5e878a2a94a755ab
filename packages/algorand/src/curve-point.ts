import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * Whether 32 bytes decode to a point of Edwards25519, so that they could be a public key. y need not be below the
 * field's prime, and the sign is ignored (go-algorand v5, basics.Address.IsPQCompliant). Nodes submit no Falcon
 * signature for such an address, and no program of version 13 or 14 that controls it.
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
