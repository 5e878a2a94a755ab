import { describe, expect, test } from 'vitest';
import {
  appendSignature,
  multisigAddress,
  multisigParametersOf,
  signMultisig,
  verifyMultisig,
} from '../src/multisig.ts';
import { accountFromSeed } from '../src/account.ts';
import { ACCOUNT_1, ACCOUNT_2, codeOf } from './keys.ts';

const ACCOUNT_3 = accountFromSeed(new Uint8Array(32).fill(3));
const BOTH = { version: 1, threshold: 2, publicKeys: [ACCOUNT_1.publicKey, ACCOUNT_2.publicKey] };
const MESSAGE = Uint8Array.of(1, 2, 3);

test('the address of the two published keys is the published one', () => {
  expect(multisigAddress(BOTH)).toBe('BG47EPOT5JOIP7G4KTDN2ZLPSHCPYTRNXWXPDZNHEF7RXPPNQ3UAHWAWGE');
});

describe('verifyMultisig', () => {
  const first = signMultisig(BOTH, MESSAGE, ACCOUNT_1);
  const both = appendSignature(first, MESSAGE, ACCOUNT_2);

  test('accepts as soon as the threshold is reached', () => {
    expect(verifyMultisig(MESSAGE, first)).toBe(false);
    expect(verifyMultisig(MESSAGE, both)).toBe(true);
    expect(verifyMultisig(MESSAGE, { ...first, threshold: 1 })).toBe(true);
  });

  test('refuses when one of more than enough signatures is wrong', () => {
    const [one, two] = both.subsignatures;
    const wrong = { ...two, publicKey: ACCOUNT_2.publicKey, signature: new Uint8Array(64).fill(1) };
    expect(verifyMultisig(MESSAGE, { version: 1, threshold: 1, subsignatures: [one as never, wrong] })).toBe(false);
  });

  test('refuses signatures of another message', () => {
    expect(verifyMultisig(Uint8Array.of(1, 2), both)).toBe(false);
  });

  test.each([
    ['version 2', { ...both, version: 2 }],
    ['threshold 0', { ...both, threshold: 0 }],
    ['a threshold above the number of keys', { ...both, threshold: 3 }],
    ['no keys', { ...both, threshold: 1, subsignatures: [] }],
    ['256 keys', { ...both, subsignatures: Array.from({ length: 256 }, () => both.subsignatures[0] as never) }],
  ])('refuses %s', (_, multisig) => {
    expect(verifyMultisig(MESSAGE, multisig)).toBe(false);
  });

  test('counts a key once for each place that it has', () => {
    const twice = { version: 1, threshold: 2, publicKeys: [ACCOUNT_1.publicKey, ACCOUNT_1.publicKey] };
    expect(verifyMultisig(MESSAGE, signMultisig(twice, MESSAGE, ACCOUNT_1))).toBe(true);
  });
});

test('signatures in any order make the same multisig', () => {
  const oneFirst = appendSignature(signMultisig(BOTH, MESSAGE, ACCOUNT_1), MESSAGE, ACCOUNT_2);
  const twoFirst = appendSignature(signMultisig(BOTH, MESSAGE, ACCOUNT_2), MESSAGE, ACCOUNT_1);
  expect(twoFirst).toEqual(oneFirst);
});

test('the parameters are read back from a signature', () => {
  expect(multisigParametersOf(signMultisig(BOTH, MESSAGE, ACCOUNT_1))).toEqual(BOTH);
});

test('a signer who is not one of the keys is refused', () => {
  expect(codeOf(() => signMultisig(BOTH, MESSAGE, ACCOUNT_3))).toBe('invalid_multisig');
});

test.each([
  ['no keys', { ...BOTH, publicKeys: [] }],
  ['a key of 31 bytes', { ...BOTH, publicKeys: [new Uint8Array(31)] }],
  ['a threshold above the number of keys', { ...BOTH, threshold: 3 }],
  ['a fractional threshold', { ...BOTH, threshold: 1.5 }],
  ['version 0', { ...BOTH, version: 0 }],
])('parameters with %s are refused', (_, parameters) => {
  expect(codeOf(() => multisigAddress(parameters))).toBe('invalid_multisig');
  expect(codeOf(() => signMultisig(parameters, MESSAGE, ACCOUNT_1))).toBe('invalid_multisig');
});
