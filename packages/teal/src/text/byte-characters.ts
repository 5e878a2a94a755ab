/** A character for each byte, of the same number: text that is no UTF-8 keeps its bytes. */
export function charactersOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** The bytes of which a text is the characters. */
export function bytesOfCharacters(characters: string): Uint8Array {
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}
