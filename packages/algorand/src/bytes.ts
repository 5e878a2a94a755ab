/** Bytes as text with one character per byte, for use as a map key. */
export function byteText(bytes: Uint8Array): string {
  // A spread would go through an iterator and cost five times as much.
  return Reflect.apply(String.fromCharCode, undefined, bytes);
}

/** Whether bytes are equal. The time that it takes tells where they differ, so it is not for secrets. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

/**
 * The same memory as a plain Uint8Array. A Node Buffer differs: its `slice` does not copy, and its JSON has another
 * form.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
