/** The part of Node's Buffer used here, typed by hand because this package also runs in a browser. */
interface NodeBuffer {
  from(text: string, encoding: 'base64'): Uint8Array;
  from(memory: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

const CHUNK = 8192;

// Five times as fast as the browser's functions; it matters because every request carries three such headers.
const { Buffer: buffer } = globalThis as { Buffer?: NodeBuffer };

/** Bytes to standard, padded base64 (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  if (buffer !== undefined) return buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  let binary = '';
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Strict inverse of {@link encodeBase64}; undefined for any text that `encodeBase64` does not produce. */
export function decodeStrictBase64(text: string): Uint8Array | undefined {
  try {
    const bytes = decodeLoosely(text);
    return encodeBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Does not check its input: text that is not base64 gives arbitrary bytes, or throws. */
function decodeLoosely(text: string): Uint8Array {
  // A copy, because a Buffer shares its memory and its `slice` differs from that of a Uint8Array.
  if (buffer !== undefined) return new Uint8Array(buffer.from(text, 'base64'));
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
