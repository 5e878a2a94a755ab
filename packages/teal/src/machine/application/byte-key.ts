/** Bytes as text with one character per byte, for use as a map key. */
export type ByteKey = string;

export function byteKey(bytes: Uint8Array): ByteKey {
  let key = '';
  for (const byte of bytes) key += String.fromCharCode(byte);
  return key;
}

export function bytesOfKey(key: ByteKey): Uint8Array {
  return Uint8Array.from(key, (character) => character.charCodeAt(0));
}
