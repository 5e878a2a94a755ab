import { byteTextOf, exactText, goQuote as quoteBytes, parseBoolean, parseDecimal, parseSigned } from '@avm402/teal/go';
import { MAX_INT64 } from '../codec/integer.ts';

/** A text in Go's double quotes, as strconv.Quote writes it. */
export function goQuote(text: string): string {
  return exactText(quoteBytes(byteTextOf(text)));
}

/** strconv.ParseUint(text, 10, 64): the number, or Go's error text. */
export function goParseUint(text: string): bigint | GoError {
  return orError('ParseUint', text, parseDecimal(text));
}

/** strconv.ParseInt(text, 10, 64): the number, or Go's error text. */
export function goParseInt(text: string): bigint | GoError {
  return orError('ParseInt', text, parseSigned(text, MAX_INT64));
}

/** strconv.ParseBool(text): the boolean, or Go's error text. */
export function goParseBool(text: string): boolean | GoError {
  return orError('ParseBool', text, parseBoolean(text) ?? 'invalid syntax');
}

function orError<T>(name: string, text: string, value: T | string): T | GoError {
  if (typeof value !== 'string') return value;
  return new GoError(`strconv.${name}: parsing ${goQuote(text)}: ${value}`);
}

/** An error with the text of Go's standard library. */
export class GoError {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
