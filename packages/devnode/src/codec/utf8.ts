const WELL_FORMED = [
  /[\0-\x7f]+/,
  /[\xc2-\xdf][\x80-\xbf]/,
  /\xe0[\xa0-\xbf][\x80-\xbf]/,
  /[\xe1-\xec\xee\xef][\x80-\xbf]{2}/,
  /\xed[\x80-\x9f][\x80-\xbf]/,
  /\xf0[\x90-\xbf][\x80-\xbf]{2}/,
  /[\xf1-\xf3][\x80-\xbf]{3}/,
  /\xf4[\x80-\x8f][\x80-\xbf]{2}/,
];
const CHARACTER_OR_BYTE = new RegExp(`${WELL_FORMED.map(({ source }) => source).join('|')}|([^])`, 'g');

// The range for bytes that are not UTF-8: lone surrogates, which no text contains.
const LONE_SURROGATES = 0xdc00;

/**
 * Decodes bytes as UTF-8. As in Go, each byte that is not part of a character counts separately; it becomes a lone
 * surrogate, U+DC80 to U+DCFF. The platform's decoder would replace several such bytes by one U+FFFD.
 * @param bytes one character for each byte
 */
export function textOfBytes(bytes: string): string {
  return bytes.replaceAll(CHARACTER_OR_BYTE, (character, wrong?: string) =>
    wrong === undefined
      ? Buffer.from(character, 'latin1').toString('utf8')
      : String.fromCharCode(LONE_SURROGATES + wrong.charCodeAt(0)),
  );
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The bytes of a text that may hold bytes which are not UTF-8, as `textOfBytes` gives them. */
export function bytesOfText(text: string): Uint8Array {
  if (!LONE_SURROGATE.test(text)) return Buffer.from(text, 'utf8');
  return Buffer.concat(
    Array.from(text, (character) =>
      LONE_SURROGATE.test(character)
        ? Buffer.of(character.charCodeAt(0) - LONE_SURROGATES)
        : Buffer.from(character, 'utf8'),
    ),
  );
}
