import { sha512 } from '@noble/hashes/sha2.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, concatBytes, numberToBytesLE } from '@noble/curves/utils.js';

const { Point } = ed25519;
const { Fn } = Point;
const ORDER_8 = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');

/** A key with a component of small order. */
export interface TorsionKey {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/**
 * An Ed25519 key with a signature that algod accepts and `node:crypto` refuses, so that only the slow rule can decide.
 * (Both would accept one signature in eight; then another one is made.)
 */
export function torsionKey(seed: number): TorsionKey {
  const secret = Fn.create(BigInt(seed) + 2n ** 200n);
  const publicKey = Point.BASE.multiply(secret).add(ORDER_8).toBytes();
  return {
    publicKey,
    sign(message) {
      for (let nonce = BigInt(seed) + 2n ** 201n; ; nonce += 1n) {
        const commitment = Point.BASE.multiply(nonce).toBytes();
        const challenge = Fn.create(bytesToNumberLE(sha512(concatBytes(commitment, publicKey, message))));
        const scalar = Fn.create(nonce + challenge * secret);
        if (challenge % 8n !== 0n) return concatBytes(commitment, numberToBytesLE(scalar, 32));
      }
    },
  };
}
