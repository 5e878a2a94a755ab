import type { AffinePoint } from '@noble/curves/abstract/curve.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { mapToBn254G1, mapToBn254G2 } from './bn254-map.ts';
import { primeCoordinates, quadraticCoordinates } from './coordinates.ts';
import type { PairingCurve } from './pairing.ts';

const bn254Coordinates = primeCoordinates(bn254.fields.Fp.ORDER, 32);
const bls12_381Coordinates = primeCoordinates(bls12_381.fields.Fp.ORDER, 48);

/** noble's type requires a list here, but its code requires a number. */
const bls12_381Map: { mapToCurve(element: bigint | bigint[]): AffinePoint<bigint> } = bls12_381.G1;

export const BN254: PairingCurve = {
  curve: bn254,
  g1: { Point: bn254.G1.Point, coordinates: bn254Coordinates, map: mapToBn254G1 },
  g2: { Point: bn254.G2.Point, coordinates: quadraticCoordinates(bn254Coordinates), map: mapToBn254G2 },
};

export const BLS12_381: PairingCurve = {
  curve: bls12_381,
  g1: {
    Point: bls12_381.G1.Point,
    coordinates: bls12_381Coordinates,
    map: (element) => bls12_381Map.mapToCurve(element),
  },
  g2: {
    Point: bls12_381.G2.Point,
    coordinates: quadraticCoordinates(bls12_381Coordinates),
    map: ({ c0, c1 }) => bls12_381.G2.mapToCurve([c0, c1]),
  },
};
