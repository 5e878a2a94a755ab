import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256, sha512, sha512_256 } from '../src/hash.ts';
import { type HashEngine, nativeHashes, nobleHashes } from '../src/hash-engine.ts';
import { nativeCrypto } from '../src/native-crypto.ts';
import { hexOf } from './keys.ts';

test('Node has native hashes', () => {
  expect(nativeCrypto).toBeDefined();
});

const engines: [string, HashEngine][] = [
  ['noble', nobleHashes],
  ['native', nativeHashes(nativeCrypto as NonNullable<typeof nativeCrypto>)],
  ['the public functions', { sha256, sha512, sha512_256 }],
];

describe.each(engines)('%s', (_, hashes) => {
  // FIPS 180-4 example "abc".
  const abc = new TextEncoder().encode('abc');

  test('gives the published digests of "abc" as plain bytes', () => {
    expect(hexOf(hashes.sha512_256(abc))).toBe('53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23');
    expect(hexOf(hashes.sha256(abc))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hexOf(hashes.sha512(abc))).toMatch(/^ddaf35a193617abacc417349ae204131.{96}$/);
    expect(Buffer.isBuffer(hashes.sha512_256(abc))).toBe(false);
  });

  test('agrees with the others on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(hashes.sha512_256(bytes)).toEqual(nobleHashes.sha512_256(bytes));
        expect(hashes.sha256(bytes)).toEqual(nobleHashes.sha256(bytes));
        expect(hashes.sha512(bytes)).toEqual(nobleHashes.sha512(bytes));
      }),
    );
  });
});
