import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isX402Error } from '../src/errors.ts';
import {
  ALGORAND_MAINNET,
  ALGORAND_TESTNET,
  algorandNetwork,
  algorandNetworkLong,
  canonicalNetwork,
  isAlgorandNetwork,
  isNetwork,
  networkMatches,
  networksEqual,
  parseNetwork,
} from '../src/network.ts';

const TESTNET_HASH = 'SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=';
const MAINNET_HASH = 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=';
const genesisHash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));

describe('an Algorand network', () => {
  it('has the first 32 url-safe characters of its genesis hash as canonical id', () => {
    expect(algorandNetwork(TESTNET_HASH)).toBe(ALGORAND_TESTNET);
    expect(algorandNetwork(MAINNET_HASH)).toBe(ALGORAND_MAINNET);
    expect(algorandNetworkLong(TESTNET_HASH)).toBe(`algorand:${TESTNET_HASH}`);
  });

  it('is one network in each of its four spellings', () => {
    fc.assert(
      fc.property(genesisHash, (hash) => {
        const urlSafe = hash.replaceAll('+', '-').replaceAll('/', '_');
        const spellings = [hash, urlSafe, hash.slice(0, 32), urlSafe.slice(0, 32)].map((text) => `algorand:${text}`);
        for (const spelling of spellings) {
          expect(isAlgorandNetwork(spelling)).toBe(true);
          expect(canonicalNetwork(spelling)).toBe(algorandNetwork(hash));
          for (const other of spellings) expect(networksEqual(spelling, other)).toBe(true);
          expect(networkMatches('algorand:*', spelling)).toBe(true);
        }
      }),
    );
  });

  it('is equal to another only if their hashes are', () => {
    fc.assert(
      fc.property(genesisHash, genesisHash, (one, other) => {
        expect(networksEqual(algorandNetworkLong(one), algorandNetworkLong(other))).toBe(one === other);
        expect(networksEqual(algorandNetwork(one), algorandNetworkLong(other))).toBe(
          one.slice(0, 32) === other.slice(0, 32),
        );
      }),
    );
  });

  it('differs when two long ids differ behind the 32nd character', () => {
    const other = `${TESTNET_HASH.slice(0, 40)}AAA=`;
    expect(networksEqual(`algorand:${TESTNET_HASH}`, `algorand:${other}`)).toBe(false);
  });

  it.each([
    'algorand:',
    'algorand:testnet',
    `algorand:${TESTNET_HASH.slice(0, 31)}`,
    `algorand:${TESTNET_HASH}=`,
    'algorand',
  ])('is not %s', (text) => {
    expect(isAlgorandNetwork(text)).toBe(false);
    expect(isNetwork(text)).toBe(false);
  });
});

describe('a CAIP-2 id', () => {
  it('splits into namespace and reference and joins again', () => {
    expect(parseNetwork('eip155:84532')).toBe('eip155:84532');
  });

  it('from outside is read or refused with a code', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        try {
          expect(parseNetwork(text)).toBe(text);
        } catch (error) {
          expect(isX402Error(error, 'invalid_network')).toBe(true);
        }
      }),
    );
  });

  it('is compared with any text, which equals itself alone', () => {
    expect(networksEqual('base-sepolia', 'base-sepolia')).toBe(true);
    expect(networksEqual('algorand:testnet', ALGORAND_TESTNET)).toBe(false);
    expect(networkMatches('algorand:*', 'algorand:testnet')).toBe(false);
    expect(networkMatches('algorand:*', 'algorand')).toBe(false);
  });

  it.each(['algorand', '*', ':*', 'Algorand:*', 'algorand:testnet', 'algorand:**'])(
    'is not matched with the pattern %j, which is refused',
    (pattern) => {
      let caught: unknown;
      try {
        networkMatches(pattern, ALGORAND_TESTNET);
      } catch (error) {
        caught = error;
      }
      expect(isX402Error(caught, 'invalid_network')).toBe(true);
    },
  );

  it('matches a pattern of its namespace only', () => {
    expect(networkMatches('eip155:*', 'eip155:1')).toBe(true);
    expect(networkMatches('algorand:*', 'eip155:1')).toBe(false);
    expect(networkMatches('eip155:1', 'eip155:1')).toBe(true);
    expect(networkMatches('eip155:1', 'eip155:10')).toBe(false);
  });
});
