import type { Fp2 } from '@noble/curves/abstract/tower.js';
import { bytesToNumberBE, concatBytes, numberToBytesBE } from '@noble/curves/utils.js';
import { OpcodeFailure } from '../machine/program-error.ts';

/** Elements of a field in the form that programs use. */
export interface Coordinates<T> {
  readonly length: number;
  /** @throws for a number that is not below the prime */
  decode(bytes: Uint8Array): T;
  encode(element: T): Uint8Array;
}

/** Numbers below a prime, most significant byte first; any length is decoded. */
export function primeCoordinates(prime: bigint, length: number): Coordinates<bigint> {
  return {
    length,
    decode(bytes) {
      const element = bytesToNumberBE(bytes);
      if (element >= prime) throw new OpcodeFailure(`field element ${element} larger than modulus ${prime}`);
      return element;
    },
    encode: (element) => numberToBytesBE(element, length),
  };
}

/** c0 + c1·u as c0 ‖ c1. */
export function quadraticCoordinates(prime: Coordinates<bigint>): Coordinates<Fp2> {
  const length = 2 * prime.length;
  return {
    length,
    decode(bytes) {
      if (bytes.length !== length) throw new OpcodeFailure(`bad encoded element length: ${bytes.length}`);
      return { c0: prime.decode(bytes.subarray(0, prime.length)), c1: prime.decode(bytes.subarray(prime.length)) };
    },
    encode: ({ c0, c1 }) => concatBytes(prime.encode(c0), prime.encode(c1)),
  };
}
