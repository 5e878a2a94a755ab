export { byteText as byteKey } from '@avm402/algorand/bytes';

/** Bytes as text with one character per byte, for use as a map key. */
export type ByteKey = string;

export function bytesOfKey(key: ByteKey): Uint8Array {
  return Uint8Array.from(key, (character) => character.charCodeAt(0));
}
