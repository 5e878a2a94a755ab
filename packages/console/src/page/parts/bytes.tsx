/** Bytes that algod sent in base64: as text in quotes if they are printable, else in hexadecimal. */
export function Bytes({ base64 }: { readonly base64: string }) {
  return <code class="whole">{shownBytes(base64)}</code>;
}

function shownBytes(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const text = new TextDecoder().decode(bytes);
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text) && !text.includes('\uFFFD')) return `“${text}”`;
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
