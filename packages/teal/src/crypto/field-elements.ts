import { bn254_Fr } from '@noble/curves/bn254.js';
import { bls12_381_Fr } from '@noble/curves/bls12-381.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { OpcodeFailure } from '../machine/program-error.ts';

/** The fields used by the hashes of zero-knowledge proofs: the scalars of two curves. */
export const BN254_SCALARS = bn254_Fr;
export const BLS12_381_SCALARS = bls12_381_Fr;

export type ScalarField = typeof BN254_SCALARS;

const ELEMENT_LENGTH = 32;

/** The field elements in bytes, 32 bytes each, most significant byte first. */
export function fieldElements(field: ScalarField, bytes: Uint8Array, opcode: string): bigint[] {
  if (bytes.length === 0) throw new OpcodeFailure('the input data cannot be empty');
  if (bytes.length % ELEMENT_LENGTH !== 0) {
    throw new OpcodeFailure(`the input data must be a multiple of ${ELEMENT_LENGTH} bytes`);
  }
  return Array.from({ length: bytes.length / ELEMENT_LENGTH }, (_, i) => {
    const element = bytesToNumberBE(bytes.subarray(i * ELEMENT_LENGTH, (i + 1) * ELEMENT_LENGTH));
    if (element >= field.ORDER) throw new OpcodeFailure(`invalid ${opcode} input invalid fr.Element encoding`);
    return element;
  });
}

/** x^5, the permutation of both hashes. */
export function fifthPower(field: ScalarField, x: bigint): bigint {
  return field.mul(field.sqr(field.sqr(x)), x);
}
