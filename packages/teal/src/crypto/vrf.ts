import { sameBytes } from '@avm402/algorand/bytes';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, concatBytes } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { OpcodeFailure } from '../machine/program-error.ts';

const { Point } = ed25519;
const { Fp, Fn } = Point;
type EdwardsPoint = InstanceType<typeof Point>;

const PROOF_LENGTH = 80;
const KEY_LENGTH = 32;
const POINT_LENGTH = 32;
const CHALLENGE_LENGTH = 16;

/** ECVRF-ED25519-SHA512-Elligator2 of draft-irtf-cfrg-vrf-03: the suite, and the purposes of its hashes. */
const SUITE = 4;
const HASH_TO_CURVE = Uint8Array.of(SUITE, 1);
const HASH_POINTS = Uint8Array.of(SUITE, 2);
const PROOF_TO_HASH = Uint8Array.of(SUITE, 3);

/** The coefficient of curve25519 in Montgomery's form. */
const MONTGOMERY_A = 486662n;

/**
 * The 64 bytes of randomness that a proof gives for a message, or `undefined` if the proof is not valid (§5.3). As in
 * algod's library, the proof's scalar is reduced and points may have more than one encoding.
 */
export function verifyVrf(message: Uint8Array, proof: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (proof.length !== PROOF_LENGTH) throw new OpcodeFailure(`vrf proof wrong size ${proof.length} != ${PROOF_LENGTH}`);
  if (key.length !== KEY_LENGTH) throw new OpcodeFailure(`vrf pubkey wrong size ${key.length} != ${KEY_LENGTH}`);
  const publicPoint = pointOf(key);
  const gamma = pointOf(proof.subarray(0, POINT_LENGTH));
  if (publicPoint === undefined || gamma === undefined || publicPoint.isSmallOrder()) return undefined;

  const challenge = proof.subarray(POINT_LENGTH, POINT_LENGTH + CHALLENGE_LENGTH);
  const c = bytesToNumberLE(challenge);
  const s = Fn.create(bytesToNumberLE(proof.subarray(POINT_LENGTH + CHALLENGE_LENGTH)));
  const h = hashToCurve(key, message);
  const u = Point.BASE.multiplyUnsafe(s).subtract(publicPoint.multiplyUnsafe(c));
  const v = h.multiplyUnsafe(s).subtract(gamma.multiplyUnsafe(c));
  const points = [h, gamma, u, v].map((point) => point.toBytes());
  const expected = sha512(concatBytes(HASH_POINTS, ...points)).subarray(0, CHALLENGE_LENGTH);
  if (!sameBytes(expected, challenge)) return undefined;
  return sha512(concatBytes(PROOF_TO_HASH, gamma.clearCofactor().toBytes()));
}

/** Elligator 2 (§5.4.1.2): maps a message to the x of a Montgomery curve, and from there to a point with even x. */
function hashToCurve(key: Uint8Array, message: Uint8Array): EdwardsPoint {
  const uniform = sha512(concatBytes(HASH_TO_CURVE, key, message)).slice(0, POINT_LENGTH);
  uniform[POINT_LENGTH - 1] = (uniform[POINT_LENGTH - 1] ?? 0) & 0x7f;
  const r = Fp.create(bytesToNumberLE(uniform));
  const first = Fp.mul(Fp.neg(MONTGOMERY_A), Fp.inv(Fp.add(Fp.mul(2n, Fp.sqr(r)), Fp.ONE)));
  const x = isOnMontgomeryCurve(first) ? first : Fp.sub(Fp.neg(first), MONTGOMERY_A);
  const y = Fp.mul(Fp.sub(x, Fp.ONE), Fp.inv(Fp.add(x, Fp.ONE)));
  return Point.fromBytes(Fp.toBytes(y)).clearCofactor();
}

function isOnMontgomeryCurve(x: bigint): boolean {
  const square = Fp.mul(x, Fp.add(Fp.mul(x, Fp.add(x, MONTGOMERY_A)), Fp.ONE));
  return Fp.is0(square) || Fp.pow(square, (Fp.ORDER - 1n) / 2n) === Fp.ONE;
}

function pointOf(bytes: Uint8Array): EdwardsPoint | undefined {
  try {
    return Point.fromBytes(bytes, true);
  } catch {
    return undefined;
  }
}
