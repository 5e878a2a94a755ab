import { sha256 } from '@avm402/algorand/hash';

/** SHA-256 in hex: 64 characters. */
export function hexDigest(bytes: Uint8Array): string {
  return Array.from(sha256(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
