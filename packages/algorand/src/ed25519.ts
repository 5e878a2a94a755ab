import { nativeEd25519, nobleEd25519, type Signer } from './ed25519-engine.ts';
import { AlgorandError } from './errors.ts';
import { nativeCrypto } from './native-crypto.ts';

export type { Signer } from './ed25519-engine.ts';

const SEED_LENGTH = 32;
const PUBLIC_KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;

const engine = nativeCrypto ? nativeEd25519(nativeCrypto) : nobleEd25519;

/**
 * A signer for a 32-byte seed. Keep it: creating one costs more than a signature.
 * @throws AlgorandError `invalid_key` for any other length
 */
export function createSigner(seed: Uint8Array): Signer {
  // JavaScript callers may pass a string, which the platform's own error would quote.
  if (!ArrayBuffer.isView(seed) || seed.length !== SEED_LENGTH) {
    throw new AlgorandError('invalid_key', `an Ed25519 seed has ${SEED_LENGTH} bytes, not ${Object(seed).length}`);
  }
  return engine.createSigner(seed);
}

/**
 * The 32-byte public key of a 32-byte seed.
 * @throws AlgorandError `invalid_key` for any other length
 */
export function publicKeyFromSeed(seed: Uint8Array): Uint8Array {
  return createSigner(seed).publicKey;
}

/**
 * The 64-byte signature (RFC 8032) of a message by a 32-byte seed.
 * @throws AlgorandError `invalid_key` for any other length
 */
export function sign(seed: Uint8Array, message: Uint8Array): Uint8Array {
  return createSigner(seed).sign(message);
}

/**
 * Whether algod accepts the signature: S < L, A and R canonical, A not of small order, cofactored equation (go-algorand
 * crypto/batchverifier.go). False if a length is wrong.
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return haveTheirLengths(publicKey, signature) && engine.verify(publicKey, message, signature);
}

/**
 * Like `verify`, but only where the answer is quick (in Node about 100 µs). `undefined`: only the slow rule can decide,
 * which takes more than ten times as long. No honest signer makes such a signature.
 */
export function verifyQuickly(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | undefined {
  return haveTheirLengths(publicKey, signature) && engine.verifyQuickly(publicKey, message, signature);
}

function haveTheirLengths(publicKey: Uint8Array, signature: Uint8Array): boolean {
  return publicKey.length === PUBLIC_KEY_LENGTH && signature.length === SIGNATURE_LENGTH;
}
