import { sha256, sha512, sha512_256 } from '@noble/hashes/sha2.js';
import type { NativeCrypto } from './native-crypto.ts';

type Hash = (bytes: Uint8Array) => Uint8Array;

/** The hash functions of one provider. */
export interface HashEngine {
  readonly sha256: Hash;
  readonly sha512: Hash;
  readonly sha512_256: Hash;
}

export const nobleHashes: HashEngine = { sha256, sha512, sha512_256 };

export function nativeHashes(crypto: NativeCrypto): HashEngine {
  const hash =
    (algorithm: string): Hash =>
    (bytes) =>
      bytesOf(crypto.hash(algorithm, bytes, 'latin1'));
  return { sha256: hash('sha256'), sha512: hash('sha512'), sha512_256: hash('sha512-256') };
}

/** Copies a digest from Node's string, which takes half the time of getting a Buffer from Node. */
function bytesOf(digest: string): Uint8Array {
  const bytes = new Uint8Array(digest.length);
  for (let index = 0; index < digest.length; index++) bytes[index] = digest.charCodeAt(index);
  return bytes;
}
