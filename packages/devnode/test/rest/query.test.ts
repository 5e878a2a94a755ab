import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { parseQuery, percentDecode } from '../../src/rest/query.ts';

const values = (query: string): Record<string, readonly string[]> => Object.fromEntries(parseQuery(query));

describe('a query string', () => {
  test('gives back what URLSearchParams wrote', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string())), (pairs) => {
        const expected = new Map<string, string[]>();
        for (const [name, value] of pairs) expected.set(name, [...(expected.get(name) ?? []), value]);
        expect(new Map(parseQuery(new URLSearchParams(pairs).toString()))).toEqual(expected);
      }),
    );
  });

  test('keeps the order of a repeated name and tells an empty value from none', () => {
    expect(values('max=2&max=1&pretty&next=')).toEqual({ max: ['2', '1'], pretty: [''], next: [''] });
  });

  test('drops pairs with a semicolon or a broken escape, as Go does', () => {
    expect(values('a=1;b=2&c=%zz&d=%4&e=5')).toEqual({ e: ['5'] });
  });

  test('never throws on anything that a request target may hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(() => parseQuery(text)).not.toThrow();
        expect(() => percentDecode(text)).not.toThrow();
      }),
    );
  });
});
