const STANDARD = /^[A-Za-z0-9+/]*$/;
// Bounded: an open-ended `=+$` takes quadratic time on a text full of `=`.
const PADDING = /={1,2}$/;

/** Standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * The bytes of a base64 text, in the standard or the URL-safe alphabet, with or without padding;
 * `undefined` when it is not exactly what an encoder writes.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(PADDING, '');
  if (!STANDARD.test(standard) || standard.length % 4 === 1) return undefined;
  const binary = atob(standard);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return hasNoSpareBits(standard, bytes) ? bytes : undefined;
}

/** Whether the bits that the last character has beyond the last byte are zero, as an encoder leaves them. */
function hasNoSpareBits(standard: string, bytes: Uint8Array): boolean {
  const rest = bytes.length % 3;
  if (rest === 0) return true;
  const lastGroup = encodeBase64(bytes.subarray(-rest)).replace(PADDING, '');
  return standard.endsWith(lastGroup);
}
