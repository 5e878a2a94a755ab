import { FpIsSquare, type IField } from '@noble/curves/abstract/modular.js';
import { type Fp2, psiFrobenius } from '@noble/curves/abstract/tower.js';
import type { AffinePoint } from '@noble/curves/abstract/curve.js';
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js';
import { bn254 } from '@noble/curves/bn254.js';

/** The number that defines the curve. */
const SEED = 4965661367192848881n;

/** Maps a field element to a point of BN254's G1. */
export function mapToBn254G1(element: bigint): AffinePoint<bigint> {
  return shallueVanDeWoestijne(bn254.G1.Point, element).toAffine();
}

/**
 * Maps a field element to a point of BN254's G2, with the cofactor cleared (Fuentes-Castañeda, Knapp,
 * Rodríguez-Henríquez §6.1).
 */
export function mapToBn254G2(element: Fp2): AffinePoint<Fp2> {
  const { Point } = bn254.G2;
  const { Fp, Fp2 } = bn254.fields;
  const { G2psi } = psiFrobenius(Fp, Fp2, Fp2.NONRESIDUE);
  const psi = (point: WeierstrassPoint<Fp2>) => G2psi(Point, point);
  const point = shallueVanDeWoestijne(Point, element);
  const multiple = point.multiplyUnsafe(SEED);
  return multiple
    .add(psi(multiple.multiplyUnsafe(3n)))
    .add(psi(psi(multiple)))
    .add(psi(psi(psi(point))))
    .toAffine();
}

/** RFC 9380 §6.6.1 for y² = x³ + b, with Z = 1. */
function shallueVanDeWoestijne<T>(Point: WeierstrassPointCons<T>, u: T): WeierstrassPoint<T> {
  const field = Point.Fp;
  const { b } = Point.CURVE();
  const right = (x: T): T => field.add(field.mul(field.sqr(x), x), b);
  const z = field.ONE;
  const threeZ2 = field.mul(field.sqr(z), 3n);
  const c1 = right(z);
  const root = field.sqrt(field.neg(field.mul(c1, threeZ2)));
  const c3 = isOdd(field, root) ? field.neg(root) : root;
  const scaled = field.mul(field.sqr(u), c1);
  const minus = field.sub(field.ONE, scaled);
  const plus = field.add(field.ONE, scaled);
  const inverse = inverseOrZero(field, field.mul(minus, plus));
  const half = field.div(field.neg(z), 2n);
  const offset = field.mul(field.mul(field.mul(u, minus), inverse), c3);
  const last = field.sqr(field.mul(field.sqr(plus), inverse));
  const candidates = [
    field.sub(half, offset),
    field.add(half, offset),
    field.add(z, field.mul(last, field.neg(field.div(field.mul(c1, 4n), threeZ2)))),
  ];
  const x = candidates.find((candidate) => FpIsSquare(field, right(candidate))) ?? z;
  const y = field.sqrt(right(x));
  return Point.fromAffine({ x, y: isOdd(field, u) === isOdd(field, y) ? y : field.neg(y) });
}

function inverseOrZero<T>(field: IField<T>, element: T): T {
  return field.is0(element) ? field.ZERO : field.inv(element);
}

function isOdd<T>(field: IField<T>, element: T): boolean {
  return field.isOdd?.(element) ?? false;
}
