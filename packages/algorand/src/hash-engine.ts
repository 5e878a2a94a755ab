import { sha256, sha512, sha512_256 } from '@noble/hashes/sha2.js';
import type { NativeCrypto } from './native-crypto.ts';
import { plainBytes } from './plain-bytes.ts';

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
      plainBytes(crypto.createHash(algorithm).update(bytes).digest());
  return { sha256: hash('sha256'), sha512: hash('sha512'), sha512_256: hash('sha512-256') };
}
