/** The part of Node's Buffer used here, typed by hand because this package has no Node types: it also runs in a browser. */
interface NodeBuffer {
  from(text: string, encoding: 'base64'): Uint8Array;
  from(memory: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

// Bounded, because an open-ended `=+$` takes quadratic time on a text full of `=`.
const PADDING = /={1,2}$/;

const { Buffer: buffer } = globalThis as { Buffer?: NodeBuffer };

/** Standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  if (buffer !== undefined) return buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * The bytes of a base64 text, in the standard or the URL-safe alphabet, with or without padding; `undefined` if it is
 * not exactly what an encoder writes.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const exact = decodeLoosely(text);
  if (exact !== undefined && encodeBase64(exact) === text) return exact;
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(PADDING, '');
  const bytes = decodeLoosely(standard);
  return bytes !== undefined && encodeBase64(bytes).replace(PADDING, '') === standard ? bytes : undefined;
}

/** Does not check its input: text that is not base64 gives arbitrary bytes, or `undefined`. */
function decodeLoosely(text: string): Uint8Array | undefined {
  // A copy, because a Buffer shares its memory and its `slice` differs from that of a Uint8Array.
  if (buffer !== undefined) return new Uint8Array(buffer.from(text, 'base64'));
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
