import { numberToBytesBE } from '@noble/curves/utils.js';
import { BLS12_381_SCALARS, BN254_SCALARS, fieldElements, fifthPower, type ScalarField } from './field-elements.ts';
import { keccakConstants } from './keccak-constants.ts';

/**
 * Poseidon2 of width 2 as in gnark-crypto; its permutation serves as the compression function in Merkle-Damgård mode.
 */
export type Poseidon2 = (bytes: Uint8Array) => Uint8Array;

type State = readonly [bigint, bigint];

const FULL_ROUNDS = 6;
const PARTIAL_ROUNDS = 50;
const PARAMETERS = `[t=2,rF=${FULL_ROUNDS},rP=${PARTIAL_ROUNDS},d=5]`;

export const poseidon2Bn254 = poseidon2(BN254_SCALARS, 'BN254');
export const poseidon2Bls12_381 = poseidon2(BLS12_381_SCALARS, 'BLS12_381');

function poseidon2(field: ScalarField, curve: string): Poseidon2 {
  const keys = keccakConstants(`Poseidon2-${curve}${PARAMETERS}`, 2 * FULL_ROUNDS + PARTIAL_ROUNDS);
  return (bytes) => {
    const elements = fieldElements(field, bytes, 'poseidon2');
    const hash = elements.reduce((state, element) => {
      const [, right] = permuted(field, keys(), [state, element]);
      return field.add(right, element);
    }, 0n);
    return numberToBytesBE(hash, 32);
  };
}

function permuted(field: ScalarField, keys: readonly bigint[], input: State): State {
  let state = mixed(field, input);
  let key = 0;
  for (let round = 0; round < FULL_ROUNDS + PARTIAL_ROUNDS; round += 1) {
    const first = fifthPower(field, field.create(state[0] + (keys[key++] ?? 0n)));
    const isPartial = round >= FULL_ROUNDS / 2 && round < FULL_ROUNDS / 2 + PARTIAL_ROUNDS;
    if (isPartial) state = mixedPartially(field, [first, state[1]]);
    else state = mixed(field, [first, fifthPower(field, field.create(state[1] + (keys[key++] ?? 0n)))]);
  }
  return state;
}

/** The matrix of full rounds: 2 1, 1 2. */
function mixed(field: ScalarField, [a, b]: State): State {
  return [field.create(2n * a + b), field.create(a + 2n * b)];
}

/** The matrix of partial rounds: 2 1, 1 3. */
function mixedPartially(field: ScalarField, [a, b]: State): State {
  return [field.create(2n * a + b), field.create(a + 3n * b)];
}
