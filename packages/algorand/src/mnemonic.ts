import { wordlist } from '@scure/bip39/wordlists/english.js';
import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';

const SEED_LENGTH = 32;
const KEY_WORDS = 24;
const BITS_PER_WORD = 11;

const INDEX_OF_WORD: ReadonlyMap<string, number> = new Map(wordlist.map((word, index) => [word, index]));

/**
 * The 32-byte seed behind Algorand's 25 words: 24 words of 11 bits, least significant first, and a checksum word.
 * @throws AlgorandError `invalid_mnemonic`; the message says which word (by its position) or what is wrong, not the words
 */
export function mnemonicToSeed(words: string): Uint8Array {
  const list = words.trim().toLowerCase().split(/\s+/);
  if (list.length !== KEY_WORDS + 1) throw new AlgorandError('invalid_mnemonic', describeWordCount(list.length));
  const indices = list.map((word, position) => indexOfWord(word, position));
  const seed = bytesOf(indices.slice(0, KEY_WORDS));
  if (seed === undefined || indices[KEY_WORDS] !== checksumIndex(seed)) {
    throw new AlgorandError('invalid_mnemonic', 'the checksum of the 25 words is wrong: a word is wrong or misplaced');
  }
  return seed;
}

/**
 * The 25 words of a 32-byte seed.
 * @throws AlgorandError `invalid_key` for any other length
 */
export function seedToMnemonic(seed: Uint8Array): string {
  if (seed.length !== SEED_LENGTH) {
    throw new AlgorandError('invalid_key', `a seed has ${SEED_LENGTH} bytes, not ${seed.length}`);
  }
  return [...indicesOf(seed), checksumIndex(seed)].map((index) => wordlist[index]).join(' ');
}

function describeWordCount(count: number): string {
  if (count !== 12 && count !== 24) return `an Algorand mnemonic has 25 words, this text ${count}`;
  return (
    `${count} words are a BIP39 phrase (an HD wallet's), which stands for many accounts; ` +
    'export the 25 words of the one account from the wallet'
  );
}

function indexOfWord(word: string, position: number): number {
  const index = INDEX_OF_WORD.get(word);
  if (index !== undefined) return index;
  throw new AlgorandError('invalid_mnemonic', `word ${position + 1} of 25 is not in the list of mnemonic words`);
}

function checksumIndex(seed: Uint8Array): number {
  const [low = 0, high = 0] = sha512_256(seed);
  return low | ((high & 0b111) << 8);
}

/** The seed cut into 11-bit numbers; the last one has only 3 bits. */
function indicesOf(seed: Uint8Array): number[] {
  const indices: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const byte of seed) {
    pending |= byte << bits;
    bits += 8;
    if (bits >= BITS_PER_WORD) {
      indices.push(pending & 0x7ff);
      pending >>>= BITS_PER_WORD;
      bits -= BITS_PER_WORD;
    }
  }
  return [...indices, pending];
}

/** The 32 bytes of 24 numbers, or `undefined` if the bits beyond 256 are not zero. */
function bytesOf(indices: readonly number[]): Uint8Array | undefined {
  const bytes: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const index of indices) {
    pending |= index << bits;
    bits += BITS_PER_WORD;
    for (; bits >= 8; bits -= 8) {
      bytes.push(pending & 0xff);
      pending >>>= 8;
    }
  }
  return bytes[SEED_LENGTH] === 0 ? Uint8Array.from(bytes.slice(0, SEED_LENGTH)) : undefined;
}
