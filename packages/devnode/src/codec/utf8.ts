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

/** U+FFFD, the replacement character, in UTF-8. */
const REPLACEMENT = '\xef\xbf\xbd';

/**
 * The text that bytes stand for in UTF-8. As in Go, each byte that is part of no character becomes U+FFFD; the platform's
 * decoder puts one U+FFFD for several.
 * @param bytes one character for each byte
 */
export function textOfBytes(bytes: string): string {
  const text = bytes.replaceAll(CHARACTER_OR_BYTE, (character, wrong?: string) =>
    wrong === undefined ? character : REPLACEMENT,
  );
  return Buffer.from(text, 'latin1').toString('utf8');
}
