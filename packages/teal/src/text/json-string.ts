import { charactersOf } from './byte-characters.ts';

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const ESCAPE = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\(.)/gis;
const textEncoder = new TextEncoder();

/** A JSON string without quotes and escapes; a surrogate that stands alone becomes U+FFFD. A character is a byte. */
export function unescaped(content: string): string {
  return content.replaceAll(ESCAPE, (_, high, low, unit, short) => {
    if (high !== undefined) return utf8Characters(String.fromCharCode(parseInt(high, 16), parseInt(low, 16)));
    if (unit !== undefined) return utf8Characters(String.fromCharCode(parseInt(unit, 16)));
    return SHORT_ESCAPES.get(short) ?? short;
  });
}

function utf8Characters(text: string): string {
  return charactersOf(textEncoder.encode(text));
}
