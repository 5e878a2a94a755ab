import { createHmac } from 'node:crypto';

/** T(0) is empty and T(1) is as long as a seed, so one step of HKDF-Expand (RFC 5869) is all. */
const FIRST_BLOCK = Uint8Array.of(1);

/** The Ed25519 seed of a wallet's key number `index`: HKDF-Expand with HMAC-SHA-512/256 of its master derivation key. */
export function derivedSeed(masterDerivationKey: Uint8Array, index: number): Uint8Array {
  const expand = createHmac('sha512-256', masterDerivationKey);
  return Uint8Array.from(expand.update(`AlgorandDeterministicKey-${index}`).update(FIRST_BLOCK).digest());
}
