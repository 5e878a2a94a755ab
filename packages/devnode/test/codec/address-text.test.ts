import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { parseAddressText } from '@avm402/teal/go';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.split('');

describe('an address in a path', () => {
  test('gives its 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        expect(parseAddressText(formatAddress(key))).toEqual(key);
      }),
    );
  });

  test('is refused with a reason unless it is exactly an address', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...BASE32), maxLength: 70 }), (text) => {
        const parsed = parseAddressText(text);
        if (typeof parsed === 'string') expect(() => parseAddress(text)).toThrow();
        else expect(formatAddress(parsed)).toBe(text);
      }),
    );
  });
});
