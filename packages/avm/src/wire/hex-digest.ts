import { sha256 } from '@avm402/algorand/hash';
import { bytesToHex } from '@noble/hashes/utils.js';

/** SHA-256 in hex: 64 characters. */
export function hexDigest(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
