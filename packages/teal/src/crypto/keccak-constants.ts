import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';

/**
 * Round constants as gnark-crypto makes them: a seed's Keccak-256 is hashed again and again, and each hash except the
 * first is one constant. They are computed on first use.
 */
export function keccakConstants(seed: string, count: number): () => readonly bigint[] {
  let constants: readonly bigint[] | undefined;
  return () => (constants ??= derive(seed, count));
}

function derive(seed: string, count: number): bigint[] {
  let hash = keccak_256(new TextEncoder().encode(seed));
  return Array.from({ length: count }, () => {
    hash = keccak_256(hash);
    return bytesToNumberBE(hash);
  });
}
