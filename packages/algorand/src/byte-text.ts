/** Bytes as text with one character per byte, for use as a map key. */
export function byteText(bytes: Uint8Array): string {
  // A spread would go through an iterator and cost five times as much.
  return Reflect.apply(String.fromCharCode, undefined, bytes);
}
