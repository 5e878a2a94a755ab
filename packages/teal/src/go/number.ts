import type { ByteText } from './byte-text.ts';

/** The largest number of 64 bits, and so the largest integer on the stack. */
export const MAX_UINT64 = 0xffffffffffffffffn;

/** The reason why a text is not a number, in Go's words. */
export type NumberProblem = 'invalid syntax' | 'value out of range';

/** `_` is allowed between digits, or between a prefix and a digit. */
const GROUPED = /^(?:0[xXbBoO]?_?)?[^_]+(?:_[^_]+)*$|^0$/;

/**
 * Parses a number as Go does (strconv.ParseUint, base 0): decimal, `0x`, `0b`, `0o`, octal after a leading 0, `_`
 * between digits.
 */
export function parseNumber(text: ByteText, max: bigint = MAX_UINT64): bigint | NumberProblem {
  const { base, digits } = baseOf(text);
  const value = parseDigits(digits.replaceAll('_', ''), base, max);
  return typeof value === 'bigint' && text.includes('_') && !GROUPED.test(text) ? 'invalid syntax' : value;
}

const PREFIXES: Readonly<Record<string, number>> = { '0x': 16, '0b': 2, '0o': 8 };

function baseOf(text: ByteText): { readonly base: number; readonly digits: ByteText } {
  if (!text.startsWith('0') || text.length === 1) return { base: 10, digits: text };
  const base = text.length < 3 ? undefined : PREFIXES[text.slice(0, 2).toLowerCase()];
  return base === undefined ? { base: 8, digits: text.slice(1) } : { base, digits: text.slice(2) };
}

/** A decimal number without sign, prefix or `_`. */
export function parseDecimal(text: ByteText, max: bigint = MAX_UINT64): bigint | NumberProblem {
  return parseDigits(text, 10, max);
}

/** Two hexadecimal digits. */
export function parseHexByte(text: ByteText): number | NumberProblem {
  const value = parseDigits(text, 16, 0xffn);
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Reads from the left, as Go does; the first error counts. */
function parseDigits(digits: ByteText, base: number, max: bigint): bigint | NumberProblem {
  if (digits === '') return 'invalid syntax';
  let value = 0n;
  const scale = BigInt(base);
  for (const digit of digits) {
    const worth = DIGITS.indexOf(digit.toLowerCase());
    if (worth < 0 || worth >= base) return 'invalid syntax';
    value = value * scale + BigInt(worth);
    if (value > max) return 'value out of range';
  }
  return value;
}

const DIGITS = '0123456789abcdef';

/** A decimal number with an optional sign, as Go's strconv.ParseInt reads it; `max` is the largest magnitude above 0. */
export function parseSigned(text: ByteText, max: bigint): bigint | NumberProblem {
  const sign = /^[+-]?/.exec(text)?.[0] ?? '';
  const magnitude = parseDecimal(text.slice(sign.length), sign === '-' ? max + 1n : max);
  return typeof magnitude === 'bigint' && sign === '-' ? -magnitude : magnitude;
}

/** A boolean as Go's strconv.ParseBool reads it. */
export function parseBoolean(text: ByteText): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}

/**
 * A small number as the type check reads it, which is more lenient than the assembler: any base, with an optional sign.
 */
export function parseSmall(
  text: ByteText,
  { low, high }: { readonly low: number; readonly high: number },
): number | undefined {
  const sign = /^[+-]?/.exec(text)?.[0] ?? '';
  const magnitude = parseNumber(text.slice(sign.length), 256n);
  if (typeof magnitude !== 'bigint') return undefined;
  const value = Number(sign === '-' ? -magnitude : magnitude);
  return value < low || value > high ? undefined : value;
}
