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
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(standard) || standard.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
  const canonical = encodeBase64(bytes).replace(/=+$/, '');
  return canonical === standard ? bytes : undefined;
}
