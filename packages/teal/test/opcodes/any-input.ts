import * as fc from 'fast-check';
import { expect } from 'vitest';
import { BLS12_381, BN254 } from '../../src/crypto/pairing-curves.ts';
import type { StackValue } from '../../src/run.ts';
import { runOperation } from './operation.ts';

/** Operands of an opcode: `b` for bytes, `i` for an integer, the deepest first; and how many immediates to try. */
const OPERATIONS = [
  ['ecdsa_verify', 'bbbbb', 2],
  ['ecdsa_pk_decompress', 'b', 2],
  ['ecdsa_pk_recover', 'bibb', 3],
  ['vrf_verify', 'bbb', 2],
  ['falcon_verify', 'bbb', 0],
  ['ec_add', 'bb', 4],
  ['ec_scalar_mul', 'bb', 4],
  ['ec_multi_scalar_mul', 'bb', 4],
  ['ec_subgroup_check', 'b', 4],
  ['ec_map_to', 'b', 4],
  ['ec_pairing_check', 'bb', 4],
  ['mimc', 'b', 2],
  ['poseidon2', 'b', 2],
  ['base64_decode', 'b', 3],
  ['json_ref', 'bb', 4],
  ['ed25519verify_bare', 'bbb', 0],
] as const;

const LENGTHS = [0, 1, 31, 32, 33, 48, 63, 64, 65, 79, 80, 96, 128, 192, 256, 384, 1233, 1793];

/** Numbers at which something changes: around primes and orders. */
const EDGES = [BN254, BLS12_381]
  .flatMap(({ curve }) => [curve.fields.Fp.ORDER, curve.fields.Fr.ORDER])
  .flatMap((number) => [number - 1n, number, number + 1n]);

const ofKnownLength = fc
  .constantFrom(...LENGTHS)
  .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
const edge = fc.tuple(fc.constantFrom(0n, 1n, ...EDGES), fc.constantFrom(32, 48)).map(([number, length]) =>
  Uint8Array.from(
    Buffer.from(
      number
        .toString(16)
        .padStart(2 * length, '0')
        .slice(-2 * length),
      'hex',
    ),
  ),
);
const edges = fc.array(edge, { minLength: 1, maxLength: 8 }).map((parts) => Uint8Array.from(Buffer.concat(parts)));
const json = fc.json({ maxDepth: 4 }).map((text) => new TextEncoder().encode(`{"a":${text}}`));
const letters = fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\aeu0189+-.= \n')), maxLength: 40 });
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  ofKnownLength,
  edges,
  json,
  letters.map((text) => new TextEncoder().encode(text)),
);
const integer = fc.oneof(fc.bigInt({ min: 0n, max: 5n }), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }));

const call = fc.constantFrom(...OPERATIONS).chain(([name, operands, immediates]) =>
  fc.record({
    name: fc.constant(name),
    immediate: immediates === 0 ? fc.constant(undefined) : fc.nat({ max: immediates - 1 }),
    values: fc.tuple(...Array.from(operands, (kind): fc.Arbitrary<StackValue> => (kind === 'i' ? integer : bytes))),
  }),
);

/** Any operands: an opcode gives a value or fails as an opcode does, and never otherwise. */
export function checkAnyInput(numRuns: number): void {
  fc.assert(
    fc.property(call, ({ name, immediate, values }) => {
      const outcome = runOperation(name, immediate, values);
      expect('error' in outcome ? outcome.error : outcome.out.length).toBeTruthy();
    }),
    { numRuns },
  );
}
