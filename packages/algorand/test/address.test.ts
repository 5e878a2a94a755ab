import algosdk from 'algosdk';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAddress, isAddress, parseAddress, ZERO_ADDRESS } from '../src/address.ts';
import { ACCOUNT_1, codeOf, errorOf } from './keys.ts';

const publicKey = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('the published keys have the published addresses', () => {
  expect(ACCOUNT_1.address).toBe('AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ');
  expect(formatAddress(new Uint8Array(32))).toBe(ZERO_ADDRESS);
});

test('every key has the address that algosdk gives it, and is read back', () => {
  fc.assert(
    fc.property(publicKey, (key) => {
      const address = formatAddress(key);
      expect(address).toBe(algosdk.encodeAddress(key));
      expect(parseAddress(address)).toEqual(key);
      expect(isAddress(address)).toBe(true);
    }),
  );
});

test('one wrong character is always noticed', () => {
  const character = fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'));
  fc.assert(
    fc.property(publicKey, fc.nat(57), character, (key, position, other) => {
      const address = formatAddress(key);
      fc.pre(address[position] !== other);
      const mistyped = `${address.slice(0, position)}${other}${address.slice(position + 1)}`;
      expect(codeOf(() => parseAddress(mistyped))).toBe('invalid_address');
      expect(isAddress(mistyped)).toBe(false);
    }),
  );
});

test.each([
  ['nothing', '', '0'],
  ['one character too few', ZERO_ADDRESS.slice(1), '57'],
  ['lower case', ZERO_ADDRESS.toLowerCase(), 'base32'],
  ['unused last bits set', `${ZERO_ADDRESS.slice(0, 57)}R`, 'base32'],
])('refuses %s and says what is wrong', (_, text, hint) => {
  const error = errorOf(() => parseAddress(text));
  expect(error.code).toBe('invalid_address');
  expect(error.message).toContain(hint);
});

test('a secret given in place of an address is not repeated in the error', () => {
  const canary = 'abandon '.repeat(25).trim();
  expect(errorOf(() => parseAddress(canary)).message).not.toContain('abandon');
});

test('only 32 bytes have an address', () => {
  expect(codeOf(() => formatAddress(new Uint8Array(31)))).toBe('invalid_address');
});

test('changing the bytes of a parsed address does not change what it means next time', () => {
  parseAddress(ACCOUNT_1.address).fill(0);
  parseAddress(ACCOUNT_1.address).fill(0);
  expect(parseAddress(ACCOUNT_1.address)).toEqual(ACCOUNT_1.publicKey);
  const key = Buffer.alloc(32, 5);
  const address = formatAddress(key);
  key.fill(6);
  expect(parseAddress(address)).toEqual(new Uint8Array(32).fill(5));
});
