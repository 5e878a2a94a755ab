import type { ByteText } from './byte-text.ts';

/** The result of reading base32 or base64 as Go does: the bytes, or the position of the wrong byte. */
export type Decoded = readonly number[] | { readonly corruptAt: number };

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LINE_ENDS = /[\r\n]/g;

/** Base32 with full padding or none; errors are those of the text without padding. */
export function decodeBase32(text: ByteText): Decoded {
  const given = text.replaceAll(LINE_ENDS, '');
  const bare = decodeBareBase32(given);
  if (isBytes(bare)) return bare;
  const [digits = ''] = given.split('=', 1);
  // Padding completes groups of eight. In a padded group, 2, 4, 5 or 7 characters are digits.
  const isPadded = given.length % 8 === 0 && /^={1,6}$/.test(given.slice(digits.length));
  const unpadded = isPadded && [2, 4, 5, 7].includes(digits.length % 8) ? decodeBareBase32(digits) : bare;
  return isBytes(unpadded) ? unpadded : bare;
}

/**
 * Bytes in a last run, by its number of characters. Go decodes nothing from impossible lengths. Bits beyond the last
 * whole byte may be set.
 */
const BYTES_OF_RUN = [0, 0, 1, 0, 2, 3, 0, 4] as const;

/** Base32 without padding. */
export function decodeBareBase32(text: ByteText): Decoded {
  const bytes: number[] = [];
  let pending = 0;
  let bits = 0;
  for (let index = 0; index < text.length; index++) {
    const value = BASE32.indexOf(text.charAt(index));
    if (value < 0) return { corruptAt: index };
    pending = ((pending << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((pending >> bits) & 0xff);
  }
  return bytes.slice(0, 5 * Math.floor(text.length / 8) + (BYTES_OF_RUN[text.length % 8] ?? 0));
}

export function isBytes(decoded: Decoded): decoded is readonly number[] {
  return !('corruptAt' in decoded);
}
