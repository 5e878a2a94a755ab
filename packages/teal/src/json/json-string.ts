import { byteTextOf } from '../go/byte-text.ts';
import type { JsonCursor } from './json-cursor.ts';

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const ESCAPE = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\(.)/gis;
const textEncoder = new TextEncoder();

/** A JSON string without quotes and escapes, with one character per byte; a lone surrogate becomes U+FFFD. */
export function unescaped(content: string): string {
  return content.replaceAll(ESCAPE, (_, high, low, unit, short) => {
    if (high !== undefined) return utf8Characters(String.fromCharCode(parseInt(high, 16), parseInt(low, 16)));
    if (unit !== undefined) return utf8Characters(String.fromCharCode(parseInt(unit, 16)));
    return SHORT_ESCAPES.get(short) ?? short;
  });
}

function utf8Characters(text: string): string {
  return byteTextOf(textEncoder.encode(text));
}

const HEX_UNIT = /^[0-9a-fA-F]{4}$/;
const REPLACEMENT = utf8Characters('\uFFFD');
const LAX_ESCAPES: ReadonlyMap<string | undefined, string> = new Map([
  ...SHORT_ESCAPES,
  ...['"', '\\', '/', "'"].map((character): [string, string] => [character, character]),
]);

/**
 * Reads a string with its quotes as algod's decoder does, and returns it without escapes; undefined if it is not a
 * string. `\u` takes four characters, whatever they are, even the closing quote as the last of them. A surrogate also
 * takes the `\u` after it and becomes U+FFFD, paired or not.
 */
export function readLaxString(cursor: JsonCursor): string | undefined {
  const { text } = cursor;
  if (cursor.next() !== '"') return undefined;
  let content = '';
  for (let quote = text.indexOf('"', cursor.place); quote >= 0; quote = text.indexOf('"', cursor.place)) {
    while (cursor.place < quote) {
      const character = readLaxCharacter(cursor, quote);
      if (character === undefined) return undefined;
      content += character;
    }
    if (cursor.place === quote) {
      cursor.next();
      return content;
    }
    // The quote was part of an escape. An escape that reaches further is not valid.
    if (cursor.place > quote + 1) return undefined;
  }
  return undefined;
}

function readLaxCharacter(cursor: JsonCursor, quote: number): string | undefined {
  const character = cursor.next();
  if (character !== '\\') return character;
  const escape = cursor.next();
  return escape === 'u' ? readLaxUnit(cursor, quote) : LAX_ESCAPES.get(escape);
}

function readLaxUnit(cursor: JsonCursor, quote: number): string | undefined {
  const { text, place } = cursor;
  const end = place + 4;
  if (quote < place + 2 || text.length < end) return undefined;
  const digits = text.slice(place, end);
  cursor.place = end;
  const unit = HEX_UNIT.test(digits) ? parseInt(digits, 16) : 0xfffd;
  if (unit < 0xd800 || unit > 0xdfff) return utf8Characters(String.fromCharCode(unit));
  if (quote >= end + 4 && text.startsWith('\\u', end)) {
    if (text.length < end + 6) return undefined;
    cursor.place = end + 6;
  }
  return REPLACEMENT;
}
