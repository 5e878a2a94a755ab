import { decodeBase32, type Decoded, isBytes } from '../go/base32.ts';
import { decodeBase64, PADDED_BASE64 } from '../go/base64.ts';
import { bytesOf, type ByteText } from '../go/byte-text.ts';
import { goQuote, isPrintable } from '../go/quote.ts';
import type { Token } from './token.ts';
import { parseHexByte } from '../go/number.ts';

/** The bytes of a literal of one or two words. */
export interface ByteLiteral {
  readonly bytes: Uint8Array;
  /** Number of words that the literal took. */
  readonly words: number;
}

/** An error in a literal, and the word that contains it. */
export class LiteralProblem {
  readonly at: Token;
  readonly text: ByteText;

  constructor(at: Token, text: ByteText) {
    this.at = at;
    this.text = text;
  }
}

interface Encoding {
  readonly name: string;
  decode(text: ByteText): Decoded;
}

const BASE32: Encoding = { name: 'base32', decode: decodeBase32 };
const BASE64: Encoding = {
  name: 'base64',
  decode: (text) => decodeBase64(bytesOf(text), PADDED_BASE64),
};
/** The words that announce an encoded literal. */
export const ENCODINGS: ReadonlyMap<ByteText, Encoding> = new Map([
  ['base32', BASE32],
  ['b32', BASE32],
  ['base64', BASE64],
  ['b64', BASE64],
]);

/** Reads `0x…`, `"…"`, `base64 …`, `base64(…)` and so on. */
export function parseByteLiteral(word: Token, next: Token | undefined): ByteLiteral | LiteralProblem {
  const { text } = word;
  const encoding = ENCODINGS.get(text);
  if (encoding !== undefined) {
    if (next === undefined) return new LiteralProblem(word, `${text} needs byte literal argument`);
    return asLiteral(next, 2, decodeWith(encoding, next.text, 0));
  }
  const prefix = /^(?:base|b)(?:32|64)(?=\()/.exec(text)?.[0];
  if (prefix !== undefined) return asLiteral(word, 1, decodeParenthesized(text, prefix));
  if (text.startsWith('0x')) return asLiteral(word, 1, decodeHex(text.slice(2)));
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return asLiteral(word, 1, unescape(text));
  return new LiteralProblem(word, `arg did not parse: ${text}`);
}

function asLiteral(at: Token, words: number, decoded: readonly number[] | ByteText): ByteLiteral | LiteralProblem {
  if (typeof decoded === 'string') return new LiteralProblem(at, decoded);
  return { bytes: Uint8Array.from(decoded), words };
}

function decodeWith(encoding: Encoding, text: ByteText, offset: number): readonly number[] | ByteText {
  const decoded = encoding.decode(text);
  return isBytes(decoded) ? decoded : `illegal ${encoding.name} data at input byte ${decoded.corruptAt + offset}`;
}

function decodeParenthesized(text: ByteText, prefix: string): readonly number[] | ByteText {
  const encoding = ENCODINGS.get(prefix);
  const close = text.indexOf(')');
  if (close < 0 || encoding === undefined) return `argument ${text} lacks closing parenthesis`;
  if (close < text.length - 1) return `argument ${text} must end at first closing parenthesis`;
  return decodeWith(encoding, text.slice(prefix.length + 1, close), prefix.length + 1);
}

const NINE = 0x39;

function decodeHex(digits: ByteText): readonly number[] | ByteText {
  const wrong = /[^\da-fA-F]/.exec(digits);
  if (wrong !== null) return `encoding/hex: invalid byte: ${unicodeName(digits.charCodeAt(wrong.index))}`;
  if (digits.length % 2 === 1) return 'encoding/hex: odd length hex string';
  const digitAt = (index: number): number => {
    const code = digits.charCodeAt(index);
    return (code & 0x0f) + (code > NINE ? 9 : 0);
  };
  return Array.from({ length: digits.length / 2 }, (_, index) => 16 * digitAt(2 * index) + digitAt(2 * index + 1));
}

/** Formats a byte as Go's `%#U` does; the byte is taken as a code point. */
function unicodeName(code: number): ByteText {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return isPrintable(code) ? `${name} '${utf8(code)}'` : name;
}

/** A code point below U+0100 in UTF-8, as a byte text. */
function utf8(code: number): ByteText {
  return code < 0x80 ? String.fromCharCode(code) : String.fromCharCode(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
}

const ESCAPES: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, '\\': 0x5c, '"': 0x22 };

/** The bytes of a string in double quotes, or the error in an escape sequence. */
export function unescape(quoted: ByteText): readonly number[] | ByteText {
  const inside = quoted.slice(1, -1);
  const bytes: number[] = [];
  for (let index = 0; index < inside.length; index++) {
    if (inside.charAt(index) !== '\\') {
      bytes.push(inside.charCodeAt(index));
      continue;
    }
    const escape = inside.charAt(++index);
    if (escape === 'x') {
      const digits = inside.slice(index + 1, index + 3);
      if (digits.length < 2) return `non-terminated ${digits === '' ? 'escape' : 'hex'} sequence`;
      const value = parseHexByte(digits);
      if (typeof value === 'string') return `strconv.ParseUint: parsing ${goQuote(digits)}: ${value}`;
      bytes.push(value);
      index += 2;
      continue;
    }
    const value = ESCAPES[escape];
    if (escape === '') return 'non-terminated escape sequence';
    if (value === undefined) return `invalid escape sequence \\${utf8(escape.charCodeAt(0))}`;
    bytes.push(value);
  }
  return bytes;
}
