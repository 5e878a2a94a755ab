import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase32, encodeBase32 } from '../src/base32.ts';

// RFC 4648 §10, without the padding.
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('writes and reads the RFC 4648 vector %j', (text, base32) => {
  expect(encodeBase32(new TextEncoder().encode(text))).toBe(base32);
  expect(decodeBase32(base32)).toEqual(new TextEncoder().encode(text));
});

test('gives back all bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodeBase32(encodeBase32(bytes))).toEqual(bytes);
    }),
  );
});

test('reads a text only if it is what would be written', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567=a1')) }), (text) => {
      const bytes = decodeBase32(text);
      if (bytes !== undefined) expect(encodeBase32(bytes)).toBe(text);
    }),
  );
});

test.each([
  ['padding', 'MY======'],
  ['lower case', 'my'],
  ['a digit outside the alphabet', 'M1'],
  ['a character beyond ASCII', 'MŸ'],
  ['unused bits that are set', 'MZ'],
  ['a length that no bytes have', 'MZX'],
])('refuses %s', (_, text) => {
  expect(decodeBase32(text)).toBeUndefined();
});
