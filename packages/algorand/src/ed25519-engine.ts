import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { byteText, plainBytes } from './bytes.ts';
import { isCanonicalY, isScalarBelowOrder, isSmallOrderY } from './ed25519-point.ts';
import type { NativeCrypto, NativeKey } from './native-crypto.ts';
import { RecentlyUsed } from './recently-used.ts';

/** A secret key ready to sign; the seed itself can't be read back. */
export interface Signer {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** Ed25519 as one provider implements it. */
export interface Ed25519Engine {
  createSigner(seed: Uint8Array): Signer;
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  /** Like `verify`, but only where the answer is quick; `undefined` where only the slow rule can decide. */
  verifyQuickly(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | undefined;
}

/**
 * noble alone. `zip215: false` is algod's rule: S < L, A and R canonical, A not of small order, cofactored equation. It
 * agrees with every recorded answer of algod, see test/vectors/ed25519-edges.json.
 */
export const nobleEd25519: Ed25519Engine = {
  createSigner(seed) {
    const secret = Uint8Array.from(seed);
    return { publicKey: ed25519.getPublicKey(secret), sign: (message) => ed25519.sign(message, secret) };
  },
  verify: verifyByRule,
  verifyQuickly: verifyByRule,
};

function verifyByRule(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return ed25519.verify(signature, message, publicKey, { zip215: false });
}

// DER headers of RFC 8410: an Ed25519 key is the header followed by the 32 bytes.
const PKCS8_HEADER = Uint8Array.of(0x30, 46, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 34, 4, 32);
const SPKI_HEADER = Uint8Array.of(0x30, 42, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 33, 0);

const CACHED_PUBLIC_KEYS = 1024;
const REMEMBERED_SIGNATURES = 1024;

/**
 * `node:crypto`, ten times faster, with noble as the judge wherever the native answer is not provably algod's.
 *
 * A native "yes" is algod's yes if A is canonical and not of small order. Native verification (OpenSSL, BoringSSL and
 * similar) refuses S >= L, computes R' = S·B - h·A and compares the encoding of R' with the given R byte for byte. An
 * encoder writes only canonical bytes, so R is canonical. S·B = R + h·A implies the same equation times the cofactor,
 * even if h was first reduced modulo L, since 8·L·A is the identity. Native verification does not check the form of A;
 * that is checked here, once per key.
 *
 * A native "no" is not algod's no: the equation without the cofactor is stricter when A or R has a part of small order.
 * Cheap and certain reasons are tried first; noble decides the rest.
 *
 * The most recent valid signatures are remembered by their exact bytes, because a payment is checked when it is
 * verified and again when it is settled, and by both seller and facilitator if they share a process.
 */
export function nativeEd25519(crypto: NativeCrypto): Ed25519Engine {
  const importPublicKey = publicKeyImporter(crypto);
  const known = new RecentlyUsed<string, true>(REMEMBERED_SIGNATURES);
  const verifyQuickly: Ed25519Engine['verifyQuickly'] = (publicKey, message, signature) => {
    // Key and signature have fixed lengths, so different inputs never join to the same bytes.
    const id = crypto.hash('sha256', concatBytes(publicKey, signature, message), 'latin1');
    if (known.get(id)) return true;
    const key = importPublicKey(publicKey);
    if (key === undefined) return false;
    if (crypto.verify(null, message, key, signature)) {
      known.set(id, true);
      return true;
    }
    const isPlausible = isScalarBelowOrder(signature.subarray(32)) && isCanonicalY(signature.subarray(0, 32));
    return isPlausible ? undefined : false;
  };
  return {
    createSigner(seed) {
      const key = crypto.createPrivateKey({ key: concatBytes(PKCS8_HEADER, seed), format: 'der', type: 'pkcs8' });
      const spki = crypto.createPublicKey(key).export({ format: 'der', type: 'spki' });
      return {
        publicKey: plainBytes(spki).slice(SPKI_HEADER.length),
        sign: (message) => plainBytes(crypto.sign(null, message, key)),
      };
    },
    verify: (publicKey, message, signature) =>
      verifyQuickly(publicKey, message, signature) ?? verifyByRule(publicKey, message, signature),
    verifyQuickly,
  };
}

/**
 * The native handle of a public key, or `undefined` for a key that no signature can be valid for: not canonical, or of
 * small order. Importing a key costs about as much as a verification, so recently used handles are kept.
 */
function publicKeyImporter(crypto: NativeCrypto): (publicKey: Uint8Array) => NativeKey | undefined {
  const handles = new RecentlyUsed<string, NativeKey>(CACHED_PUBLIC_KEYS);
  return (publicKey) => {
    const id = byteText(publicKey);
    const known = handles.get(id);
    if (known !== undefined) return known;
    if (!isCanonicalY(publicKey) || isSmallOrderY(publicKey)) return undefined;
    const handle = crypto.createPublicKey({ key: concatBytes(SPKI_HEADER, publicKey), format: 'der', type: 'spki' });
    handles.set(id, handle);
    return handle;
  };
}
