import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { goParseBool, GoError, goParseInt, goParseUint, goQuote } from '../../src/rest/go-text.ts';

const text = (value: unknown): unknown => (value instanceof GoError ? value.text : value);

describe('numbers as Go reads them', () => {
  test('takes every unsigned 64-bit number, leading zeros included', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        expect(goParseUint(String(value))).toBe(value);
        expect(goParseUint(`00${value}`)).toBe(value);
      }),
    );
  });

  test('tells a number that is too large', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 64n, max: 2n ** 80n }), (value) => {
        expect(text(goParseUint(String(value)))).toBe(`strconv.ParseUint: parsing "${value}": value out of range`);
      }),
    );
  });

  test.each(['', '-1', '+1', '1.5', '0x1', ' 1', '1_000', '١'])('refuses %j by its syntax', (given) => {
    expect(text(goParseUint(given))).toBe(`strconv.ParseUint: parsing "${given}": invalid syntax`);
  });

  test('takes every signed 64-bit number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(goParseInt(String(value))).toBe(value);
      }),
    );
  });

  test('names the signed parser in its errors', () => {
    expect(text(goParseInt('x'))).toBe('strconv.ParseInt: parsing "x": invalid syntax');
    expect(text(goParseInt('9223372036854775808'))).toBe(
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    );
  });
});

describe('booleans as Go reads them', () => {
  test.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('%s is true', (given) => expect(goParseBool(given)).toBe(true));
  test.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('%s is false', (given) =>
    expect(goParseBool(given)).toBe(false),
  );
  test.each(['', 'yes', 'tRUE', '2'])('%j is none', (given) => {
    expect(text(goParseBool(given))).toBe(`strconv.ParseBool: parsing "${given}": invalid syntax`);
  });
});

describe('a quoted text', () => {
  test.each([
    ['a"b\\c', String.raw`"a\"b\\c"`],
    ['tab\tline\n', String.raw`"tab\tline\n"`],
    ['\u0001\u007f', String.raw`"\x01\x7f"`],
    ['ä€😀', '"ä€😀"'],
    ['\u00a0\u200b', String.raw`"\u00a0\u200b"`],
  ])('%j becomes %s', (given, quoted) => expect(goQuote(given)).toBe(quoted));
});
