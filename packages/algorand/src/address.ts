import { concatBytes } from '@noble/hashes/utils.js';
import { decodeBase32, encodeBase32 } from './base32.ts';
import { byteText, sameBytes } from './bytes.ts';
import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';
import { RecentlyUsed } from './recently-used.ts';

/** Characters of an address: base32 of 32 bytes of public key and 4 bytes of checksum. */
const ADDRESS_LENGTH = 58;
const PUBLIC_KEY_LENGTH = 32;
const CHECKSUM_LENGTH = 4;

// A checksum costs a hash, and a payment names the same few addresses many times.
const CACHED_ADDRESSES = 4096;
const publicKeys = new RecentlyUsed<string, Uint8Array>(CACHED_ADDRESSES);
const addresses = new RecentlyUsed<string, string>(CACHED_ADDRESSES);

/** The address of 32 zero bytes. In a transaction it means "no address". */
export const ZERO_ADDRESS = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ';

/**
 * The 32 bytes behind an address: a public key, or the hash of a multisig or program.
 * @throws AlgorandError `invalid_address`, which says what is wrong with the text
 */
export function parseAddress(text: string): Uint8Array {
  const known = publicKeys.get(text);
  if (known !== undefined) return known.slice();
  const publicKey = decodeAddress(text);
  publicKeys.set(text, publicKey);
  return publicKey.slice();
}

function decodeAddress(text: string): Uint8Array {
  if (text.length !== ADDRESS_LENGTH) {
    throw new AlgorandError('invalid_address', `an address has ${ADDRESS_LENGTH} characters, this text ${text.length}`);
  }
  const decoded = decodeBase32(text);
  if (decoded === undefined) {
    throw new AlgorandError('invalid_address', 'not an address: it has characters or bits that base32 does not have');
  }
  const publicKey = decoded.slice(0, PUBLIC_KEY_LENGTH);
  if (!sameBytes(checksumOf(publicKey), decoded.subarray(PUBLIC_KEY_LENGTH))) {
    throw new AlgorandError('invalid_address', `the checksum of address ${text} is wrong: a character is mistyped`);
  }
  return publicKey;
}

/**
 * The 58-character address of 32 bytes.
 * @throws AlgorandError `invalid_address` for any other length
 */
export function formatAddress(publicKey: Uint8Array): string {
  if (publicKey.length !== PUBLIC_KEY_LENGTH) {
    throw new AlgorandError('invalid_address', `an address stands for 32 bytes, not ${publicKey.length}`);
  }
  const id = byteText(publicKey);
  const known = addresses.get(id);
  if (known !== undefined) return known;
  const address = encodeBase32(concatBytes(publicKey, checksumOf(publicKey)));
  addresses.set(id, address);
  return address;
}

/** Whether `text` is a well-formed address with the right checksum. */
export function isAddress(text: string): boolean {
  try {
    parseAddress(text);
    return true;
  } catch {
    return false;
  }
}

function checksumOf(publicKey: Uint8Array): Uint8Array {
  return sha512_256(publicKey).subarray(-CHECKSUM_LENGTH);
}
