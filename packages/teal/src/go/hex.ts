const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes as `0x…`. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '0x';
  for (const byte of bytes) text += HEX[byte] ?? '';
  return text;
}
