/** Bytes as a text of one character a byte: a key for a map. */
export function byteText(bytes: Uint8Array): string {
  // A spread would walk through an iterator, at five times the cost.
  return Reflect.apply(String.fromCharCode, undefined, bytes);
}
