import { sha256 } from '@avm402/algorand/hash';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** SHA-256 in hex: 64 characters. */
export function hexDigest(bytes: Uint8Array): string {
  let text = '';
  for (const byte of sha256(bytes)) text += HEX[byte];
  return text;
}
