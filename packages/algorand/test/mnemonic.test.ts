import algosdk from 'algosdk';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mnemonicToSeed, seedToMnemonic } from '../src/mnemonic.ts';
import { codeOf, errorOf, hexOf, SEED_1 } from './keys.ts';

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
const WORDS = seedToMnemonic(SEED_1).split(' ');

/** The 24th word holds only 3 bits of the seed; its other 8 must be zero. */
function withBitsBeyondSeed(words: readonly string[]): string[] {
  const index = wordlist.indexOf(words[23] ?? '');
  return words.with(23, wordlist[index + 8] ?? '');
}

test('a development account of a recorded algod has its words', () => {
  const words =
    'brief dog slab measure dry supreme sight have tortoise tray kitchen step fox doll embrace hat have deliver away ' +
    'dentist upon decrease under absorb foam';
  expect(hexOf(mnemonicToSeed(words))).toBe('df20d0959fd8a16707b9692cef39f6562dae021189694d83ce20a873f7e498dd');
});

test('every seed has the words that algosdk gives it, and is read back', () => {
  fc.assert(
    fc.property(seed, (bytes) => {
      const words = seedToMnemonic(bytes);
      expect(words).toBe(algosdk.mnemonicFromSeed(bytes));
      expect(mnemonicToSeed(words)).toEqual(bytes);
    }),
  );
});

test('two exchanged words are noticed', () => {
  fc.assert(
    fc.property(seed, fc.nat(24), fc.nat(24), (bytes, first, second) => {
      const words = seedToMnemonic(bytes).split(' ');
      const [a = '', b = ''] = [words[first], words[second]];
      fc.pre(a !== b);
      words[first] = b;
      words[second] = a;
      let read: Uint8Array | undefined;
      try {
        read = mnemonicToSeed(words.join(' '));
      } catch (error) {
        expect(error).toHaveProperty('code', 'invalid_mnemonic');
      }
      // The checksum has 11 bits: one in 2048 wrong phrases is another valid one, never the same.
      expect(read).not.toEqual(bytes);
    }),
  );
});

test('spaces, line breaks and capitals do not matter', () => {
  expect(mnemonicToSeed(`  ${WORDS.join(' \n\t').toUpperCase()} `)).toEqual(SEED_1);
});

test.each([
  ['24 words', WORDS.slice(0, 24).join(' '), 'BIP39'],
  ['12 words', WORDS.slice(0, 12).join(' '), 'BIP39'],
  ['23 words', WORDS.slice(0, 23).join(' '), '23'],
  ['a word that is not in the list', ['canarywrd', ...WORDS.slice(1)].join(' '), 'word 1 of 25'],
  ['a wrong checksum word', [...WORDS.slice(0, 24), WORDS[0]].join(' '), 'checksum'],
  ['bits beyond the seed', withBitsBeyondSeed(WORDS).join(' '), 'checksum'],
])('refuses %s and says so without the words', (_, words, hint) => {
  const error = errorOf(() => mnemonicToSeed(words));
  expect(error.code).toBe('invalid_mnemonic');
  expect(error.message).toContain(hint);
  expect(error.message).not.toContain(words.split(' ').slice(0, 2).join(' '));
  expect(error.message).not.toContain('canarywrd');
});

test('only a seed of 32 bytes has words', () => {
  expect(codeOf(() => seedToMnemonic(new Uint8Array(31)))).toBe('invalid_key');
});
