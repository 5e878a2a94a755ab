import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, concatBytes, numberToBytesBE } from '@noble/curves/utils.js';
import { OpcodeFailure } from '../machine/program-error.ts';

/** The two numbers of a key, x and y, or of a signature, r and s. */
export type Halves = readonly [Uint8Array, Uint8Array];

/** ECDSA on one curve, with the peculiarities of the library that algod uses for it. */
export interface EcdsaCurve {
  /** Verifies a signature of a 32-byte hash. */
  verify(hash: Uint8Array, signature: Halves, key: Halves): boolean;
  /** @throws for bytes that are no compressed key */
  decompress(key: Uint8Array): Halves;
}

const HASH_LENGTH = 32;
const HALF = 32;
const COMPRESSED_LENGTH = 33;
const UNCOMPRESSED = Uint8Array.of(4);
const RECOVERY_IDS = 4n;

/**
 * r ‖ s is read as 64 bytes, wherever the split is, and a high s is refused. Only the last 32 bytes of each half of the
 * key count.
 */
export const secp256k1Ecdsa: EcdsaCurve = {
  verify(hash, [r, s], [x, y]) {
    const key = concatBytes(UNCOMPRESSED, lastHalf(x), lastHalf(y));
    const signature = concatBytes(r, s);
    return succeeds(() => secp256k1.verify(signature, hash, key, { prehash: false, lowS: true }));
  },
  decompress: (key) => halvesOf(secp256k1.Point, key, 'invalid pubkey'),
};

/** r, s and the key's halves are numbers of any length, and a high s is accepted. */
export const secp256r1Ecdsa: EcdsaCurve = {
  verify(hash, [r, s], [x, y]) {
    return succeeds(() => {
      const key = concatBytes(UNCOMPRESSED, wholeHalf(x), wholeHalf(y));
      const signature = concatBytes(wholeHalf(r), wholeHalf(s));
      return p256.verify(signature, hash, key, { prehash: false, lowS: false });
    });
  },
  decompress: (key) => halvesOf(p256.Point, key, 'invalid compressed pubkey'),
};

/** Whether a signature (r, s) of a hash is valid for a key. */
export function verifyEcdsa(curve: EcdsaCurve, hash: Uint8Array, signature: Halves, key: Halves): boolean {
  if (hash.length !== HASH_LENGTH) {
    throw new OpcodeFailure(`the signed data must be ${HASH_LENGTH} bytes long, not ${hash.length}`);
  }
  return curve.verify(hash, signature, key);
}

/** Recovers the secp256k1 key that made a signature from the signature's recovery id. */
export function recoverKey(hash: Uint8Array, id: bigint, r: Uint8Array, s: Uint8Array): Halves {
  if (id >= RECOVERY_IDS) throw new OpcodeFailure(`invalid recovery id: ${id}`);
  if (hash.length !== HASH_LENGTH) {
    throw new OpcodeFailure(`pubkey recover failed: invalid message length, need ${HASH_LENGTH} bytes`);
  }
  const signature = concatBytes(r, s);
  if (signature.length !== 2 * HALF) throw new OpcodeFailure('pubkey recover failed: invalid signature length');
  try {
    const recovered = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(Number(id));
    return uncompressedHalves(recovered.recoverPublicKey(hash).toBytes(false));
  } catch {
    throw new OpcodeFailure('pubkey recover failed: recovery failed');
  }
}

type Points = Pick<typeof p256.Point, 'fromBytes'>;

function halvesOf(points: Points, key: Uint8Array, problem: string): Halves {
  if (key.length !== COMPRESSED_LENGTH) throw new OpcodeFailure(problem);
  try {
    return uncompressedHalves(points.fromBytes(key).toBytes(false));
  } catch {
    throw new OpcodeFailure(problem);
  }
}

function uncompressedHalves(key: Uint8Array): Halves {
  return [key.slice(1, 1 + HALF), key.slice(1 + HALF)];
}

function lastHalf(number: Uint8Array): Uint8Array {
  return concatBytes(new Uint8Array(HALF), number).slice(-HALF);
}

function wholeHalf(number: Uint8Array): Uint8Array {
  return numberToBytesBE(bytesToNumberBE(number), HALF);
}

/** noble throws if a key or a signature is malformed. */
function succeeds(verdict: () => boolean): boolean {
  try {
    return verdict();
  } catch {
    return false;
  }
}
