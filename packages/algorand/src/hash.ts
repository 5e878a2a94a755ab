import { nativeHashes, nobleHashes } from './hash-engine.ts';
import { nativeCrypto } from './native-crypto.ts';

const engine = nativeCrypto ? nativeHashes(nativeCrypto) : nobleHashes;

/** SHA-512/256 (FIPS 180-4, not a truncated SHA-512): Algorand's hash for ids, addresses and groups. 32 bytes. */
export function sha512_256(bytes: Uint8Array): Uint8Array {
  return engine.sha512_256(bytes);
}

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return engine.sha256(bytes);
}

/** SHA-512, 64 bytes. */
export function sha512(bytes: Uint8Array): Uint8Array {
  return engine.sha512(bytes);
}
