const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The first `length` bytes of an unpadded base32 text, which must consist of enough characters of the alphabet. Bits
 * after these bytes may be anything, as in algod's decoder.
 */
export function leadingBase32(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let pending = 0;
  let bits = 0;
  let index = 0;
  for (let at = 0; at < length; at++) {
    for (; bits < 8; bits += 5) pending = ((pending << 5) | ALPHABET.indexOf(text.charAt(index++))) & 0xfff;
    bits -= 8;
    bytes[at] = (pending >> bits) & 0xff;
  }
  return bytes;
}
