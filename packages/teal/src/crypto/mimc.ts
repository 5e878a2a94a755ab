import { numberToBytesBE } from '@noble/curves/utils.js';
import { BLS12_381_SCALARS, BN254_SCALARS, fieldElements, fifthPower, type ScalarField } from './field-elements.ts';
import { keccakConstants } from './keccak-constants.ts';

/** MiMC as in gnark-crypto, with the fifth power as its round function, in Miyaguchi-Preneel mode. */
export type Mimc = (bytes: Uint8Array) => Uint8Array;

export const mimcBn254 = mimc(BN254_SCALARS, 110);
export const mimcBls12_381 = mimc(BLS12_381_SCALARS, 111);

function mimc(field: ScalarField, rounds: number): Mimc {
  const constants = keccakConstants('seed', rounds);
  const encrypt = (message: bigint, key: bigint): bigint => {
    const permuted = constants().reduce((x, constant) => fifthPower(field, field.create(x + key + constant)), message);
    return field.add(permuted, key);
  };
  return (bytes) => {
    const elements = fieldElements(field, bytes, 'mimc');
    const hash = elements.reduce((state, element) => field.create(encrypt(element, state) + state + element), 0n);
    return numberToBytesBE(hash, 32);
  };
}
