import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../algorand/test/any-character.ts';
import { writePlainJson, writePrettyJson } from '../../src/rest/plain-json.ts';

describe('the plain JSON writer', () => {
  test('writes what JSON.parse reads back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has no -0 and no __proto__ member of its own.
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        const written = JSON.parse(JSON.stringify(value)) as never;
        expect(JSON.parse(writePlainJson(written))).toEqual(written);
        expect(JSON.parse(writePrettyJson(written))).toEqual(written);
      }),
    );
  });

  test('escapes what could open a tag or end a script line', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(writePlainJson(text)).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(writePlainJson(text))).toBe(text);
      }),
    );
  });

  test('writes unsigned 64-bit integers in full', () => {
    expect(writePlainJson({ total: 18_446_744_073_709_551_615n })).toBe('{"total":18446744073709551615}\n');
  });

  test('indents by two spaces and leaves empty lists and objects on one line', () => {
    expect(writePrettyJson({ a: [], b: {}, c: [1, { d: null }] })).toBe(
      '{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": null\n    }\n  ]\n}\n',
    );
  });

  test('leaves out members that are undefined', () => {
    expect(writePlainJson({ a: undefined, b: 1 })).toBe('{"b":1}\n');
  });
});
