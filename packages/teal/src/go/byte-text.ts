import { concatBytes } from '@noble/hashes/utils.js';

/**
 * Go reads bytes, not characters: columns count bytes, and literals may contain bytes that are not UTF-8. A byte text
 * is a string with one character, U+0000 to U+00FF, for each byte.
 */
export type ByteText = string;

const CHUNK = 8192;

/** Converts text (as UTF-8) or bytes to a byte text. */
export function byteTextOf(source: string | Uint8Array): ByteText {
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + CHUNK));
  }
  return text;
}

/** The bytes that a byte text stands for. */
export function bytesOf(text: ByteText): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** One character of a byte text as Go reads it: a code point, or one byte that is not UTF-8. */
export interface Rune {
  readonly length: number;
  /** Undefined for a byte that is not UTF-8. */
  readonly codePoint: number | undefined;
}

const NOT_UTF8: Rune = { length: 1, codePoint: undefined };

/** The smallest code points that need 2, 3 and 4 bytes. */
const SMALLEST = [0x80, 0x800, 0x10000] as const;

/** The character at an index. Unlike a browser's decoder, Go treats every byte of a broken sequence separately. */
export function runeAt(text: ByteText, index: number): Rune {
  const first = text.charCodeAt(index);
  if (first < 0x80) return { length: 1, codePoint: first };
  const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc2 || first > 0xf4) return NOT_UTF8;
  let codePoint = first & (0x3f >> more);
  for (let next = 1; next <= more; next++) {
    const byte = text.charCodeAt(index + next);
    // Beyond the end this is NaN, which is not a continuation byte either.
    if (byte >> 6 !== 2) return NOT_UTF8;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  if (!isShortest(codePoint, more)) return NOT_UTF8;
  return { length: more + 1, codePoint };
}

/** Whether a code point needs that many bytes after the first and is valid: half of a surrogate pair is not. */
function isShortest(codePoint: number, more: number): boolean {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint >= (SMALLEST[more - 1] ?? 0) && codePoint <= 0x10ffff && !isSurrogate;
}

// Bytes that are not UTF-8 map to half a surrogate pair, which valid text never contains.
const LONE_SURROGATES = 0xdc00;

const ASCII = /^[\0-\x7f]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The text of a byte text; a byte that is not UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF. */
export function exactText(text: ByteText): string {
  if (ASCII.test(text)) return text;
  return mapRunes(text, ({ codePoint }, index) =>
    codePoint === undefined
      ? String.fromCharCode(LONE_SURROGATES + text.charCodeAt(index))
      : String.fromCodePoint(codePoint),
  );
}

/** The text of a byte text; a byte that is not UTF-8 becomes U+FFFD. */
export function readable(text: ByteText): string {
  return exactText(text).replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** The bytes of a text that `exactText` gave. */
export function bytesOfExactText(text: string): Uint8Array {
  const encoder = new TextEncoder();
  if (!LONE_SURROGATE.test(text)) return encoder.encode(text);
  const bytesOfCharacter = (character: string): Uint8Array =>
    LONE_SURROGATE.test(character)
      ? Uint8Array.of(character.charCodeAt(0) - LONE_SURROGATES)
      : encoder.encode(character);
  return concatBytes(...Array.from(text, bytesOfCharacter));
}

/** Maps every character. */
export function mapRunes(text: ByteText, write: (rune: Rune, index: number) => string): string {
  let written = '';
  for (let index = 0; index < text.length;) {
    const rune = runeAt(text, index);
    written += write(rune, index);
    index += rune.length;
  }
  return written;
}
