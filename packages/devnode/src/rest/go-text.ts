import { MAX_INT64, MAX_UINT64 } from '../codec/integer.ts';
/** A text in Go's double quotes, as strconv.Quote writes it. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(NEEDS_ESCAPE, escape)}"`;
}

// Go prints letters, marks, numbers, punctuation, symbols and the ASCII space; everything else is escaped.
const NEEDS_ESCAPE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
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

function escape(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return String.raw`\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? String.raw`\U${hex.padStart(8, '0')}` : String.raw`\u${hex.padStart(4, '0')}`;
}

/** strconv.ParseUint(text, 10, 64): the number, or Go's error text. */
export function goParseUint(text: string): bigint | GoError {
  const value = parseDigits(text, MAX_UINT64);
  return typeof value === 'bigint' ? value : new GoError(`strconv.ParseUint: parsing ${goQuote(text)}: ${value}`);
}

/** strconv.ParseInt(text, 10, 64): the number, or Go's error text. */
export function goParseInt(text: string): bigint | GoError {
  const sign = /^[+-]?/.exec(text)?.[0] ?? '';
  const magnitude = parseDigits(text.slice(sign.length), sign === '-' ? MAX_INT64 + 1n : MAX_INT64);
  if (typeof magnitude === 'bigint') return sign === '-' ? -magnitude : magnitude;
  return new GoError(`strconv.ParseInt: parsing ${goQuote(text)}: ${magnitude}`);
}

// Longer runs are leading zeros or out of range, and would be slow to read.
const MAX_DIGITS = 1000;

/** Reads from the left, as Go does, up to the first problem: a number beyond `max`, or a non-digit. */
function parseDigits(text: string, max: bigint): bigint | 'invalid syntax' | 'value out of range' {
  const digits = /^\d*/.exec(text)?.[0] ?? '';
  const value = BigInt(digits.replace(/^0+(?=\d)/, '').slice(0, MAX_DIGITS));
  if (value > max) return 'value out of range';
  return digits === text && text !== '' ? value : 'invalid syntax';
}

/** strconv.ParseBool(text): the boolean, or Go's error text. */
export function goParseBool(text: string): boolean | GoError {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  return new GoError(`strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
}

/** An error with the text of Go's standard library. */
export class GoError {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
