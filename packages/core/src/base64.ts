/** Standard alphabet, padded (RFC 4648 §4). */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const CHUNK = 8192;

/** Bytes to standard, padded base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Strict inverse of {@link encodeBase64}; undefined for every text that it does not produce. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  // Unused low bits of the last character must be zero, or one value would have several spellings.
  return encodeBase64(bytes.subarray(bytes.length - (bytes.length % 3))) === tail(text, bytes.length)
    ? bytes
    : undefined;
}

function tail(text: string, length: number): string {
  return length % 3 === 0 ? '' : text.slice(-4);
}
