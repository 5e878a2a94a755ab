import { mapRunes, type ByteText, type Rune } from './byte-text.ts';

/** A byte text in Go's double quotes (strconv.Quote), as a byte text. */
export function goQuote(text: ByteText): ByteText {
  return `"${mapRunes(text, (rune, index) => quoted(rune, text, index))}"`;
}

const NAMED: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
};

// Letters, marks, numbers, punctuation, symbols and the ASCII space.
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Whether Go prints a character unchanged. */
export function isPrintable(codePoint: number): boolean {
  return PRINTABLE.test(String.fromCodePoint(codePoint));
}

function quoted({ codePoint, length }: Rune, text: ByteText, index: number): ByteText {
  const bytes = text.slice(index, index + length);
  const named = NAMED[bytes];
  if (named !== undefined) return named;
  if (codePoint === undefined) return escaped('x', text.charCodeAt(index), 2);
  if (isPrintable(codePoint)) return bytes;
  if (codePoint < 0x80) return escaped('x', codePoint, 2);
  return codePoint > 0xffff ? escaped('U', codePoint, 8) : escaped('u', codePoint, 4);
}

function escaped(letter: string, value: number, digits: number): string {
  return `\\${letter}${value.toString(16).padStart(digits, '0')}`;
}
