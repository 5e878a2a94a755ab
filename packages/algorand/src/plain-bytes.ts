/**
 * The same memory as a plain Uint8Array. A Node Buffer differs: its `slice` does not copy, and its JSON has another
 * form.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
