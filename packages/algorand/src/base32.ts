const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const NOT_IN_ALPHABET = 0xff;

const VALUE_OF_CODE = new Uint8Array(128).fill(NOT_IN_ALPHABET);
for (let value = 0; value < ALPHABET.length; value++) VALUE_OF_CODE[ALPHABET.charCodeAt(value)] = value;

/** Base32 (RFC 4648) without padding, upper case. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(pending >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + ALPHABET[(pending << (5 - bits)) & 31] : text;
}

/**
 * The bytes of an unpadded base32 text, or `undefined` if it is not exactly what `encodeBase32` writes: it has a
 * character outside the alphabet, an impossible length, or unused last bits that are set.
 */
export function decodeBase32(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let pending = 0;
  let bits = 0;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const value = VALUE_OF_CODE[text.charCodeAt(index)] ?? NOT_IN_ALPHABET;
    if (value === NOT_IN_ALPHABET) return undefined;
    pending = ((pending << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = pending >> bits;
    }
  }
  const unusedBits = pending & ((1 << bits) - 1);
  return bits < 5 && unusedBits === 0 ? bytes : undefined;
}
