/** The same memory as a plain Uint8Array: a Node Buffer's `slice` does not copy, and its JSON is another. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
