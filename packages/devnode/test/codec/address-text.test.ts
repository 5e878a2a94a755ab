import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { describe, expect } from 'vitest';
import { fc, test } from '@fast-check/vitest';
import { parseAddressText } from '@avm402/teal/go';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.split('');

describe('an address in a path', () => {
  test.prop([fc.uint8Array({ minLength: 32, maxLength: 32 })])('gives its 32 bytes', (key) => {
    expect(parseAddressText(formatAddress(key))).toEqual(key);
  });

  test.prop([fc.string({ unit: fc.constantFrom(...BASE32), maxLength: 70 })])(
    'is refused with a reason unless it is exactly an address',
    (text) => {
      const parsed = parseAddressText(text);
      if (typeof parsed === 'string') expect(() => parseAddress(text)).toThrow();
      else expect(formatAddress(parsed)).toBe(text);
    },
  );
});
