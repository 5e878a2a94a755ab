import { type AffinePoint, pippenger } from '@noble/curves/abstract/curve.js';
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js';
import { bytesToNumberBE, concatBytes } from '@noble/curves/utils.js';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { Coordinates } from './coordinates.ts';

/** A group of a pairing-friendly curve, with its points as bytes: x ‖ y, and zeros for the point at infinity. */
export interface PairingGroup {
  add(a: Uint8Array, b: Uint8Array): Uint8Array;
  multiply(point: Uint8Array, scalar: Uint8Array): Uint8Array;
  /** The sum of the points, each multiplied by its scalar. */
  multiplyAll(points: Uint8Array, scalars: Uint8Array): Uint8Array;
  isInSubgroup(point: Uint8Array): boolean;
  /** The point to which a field element is mapped. */
  mapTo(element: Uint8Array): Uint8Array;
}

const SCALAR_LENGTH = 32;

/** The encoding and construction of points in one group. */
export interface PointForm<T> {
  readonly Point: WeierstrassPointCons<T>;
  readonly coordinates: Coordinates<T>;
  readonly map: (element: T) => AffinePoint<T>;
}

/** The operations of a group. Points must be on the curve; membership in the subgroup is not checked. */
export function pairingGroup<T>(form: PointForm<T>): PairingGroup {
  const { Point, coordinates, map } = form;
  const decode = (bytes: Uint8Array) => decodePoint(form, bytes);
  const encode = (point: WeierstrassPoint<T>) => encodePoint(form, point.toAffine());
  return {
    add(a, b) {
      const first = decode(a);
      return encode(first.add(decode(b)));
    },
    multiply(point, scalar) {
      if (scalar.length > SCALAR_LENGTH) {
        throw new OpcodeFailure(`ec_scalar_mul scalar len is ${scalar.length}, exceeds ${SCALAR_LENGTH}`);
      }
      return encode(multiple(Point, decode(point), bytesToNumberBE(scalar)));
    },
    multiplyAll(points, scalars) {
      const decoded = decodePoints(form, points);
      const expected = decoded.length * SCALAR_LENGTH;
      if (scalars.length !== expected) {
        throw new OpcodeFailure(`bad scalars length ${scalars.length}. Expected ${expected}`);
      }
      const numbers = chunks(scalars, SCALAR_LENGTH).map((scalar) => Point.Fn.create(bytesToNumberBE(scalar)));
      return encode(pippenger(Point, decoded, numbers));
    },
    isInSubgroup: (point) => isInSubgroup(decode(point)),
    mapTo: (element) => encodePoint(form, map(coordinates.decode(element))),
  };
}

/** The points in concatenated bytes. */
export function decodePoints<T>(form: PointForm<T>, bytes: Uint8Array): WeierstrassPoint<T>[] {
  const length = 2 * form.coordinates.length;
  if (bytes.length % length !== 0) {
    throw new OpcodeFailure(`bad length ${bytes.length}. Expected ${length} multiple`);
  }
  if (bytes.length === 0) throw new OpcodeFailure('empty input');
  return chunks(bytes, length).map((chunk) => decodePoint(form, chunk));
}

export function isInSubgroup<T>(point: WeierstrassPoint<T>): boolean {
  return point.is0() || point.isTorsionFree();
}

function decodePoint<T>({ Point, coordinates }: PointForm<T>, bytes: Uint8Array): WeierstrassPoint<T> {
  const { length } = coordinates;
  if (bytes.length !== 2 * length) throw new OpcodeFailure(`bad length ${bytes.length}. Expected ${2 * length}`);
  const x = coordinates.decode(bytes.subarray(0, length));
  const y = coordinates.decode(bytes.subarray(length));
  const { Fp } = Point;
  if (Fp.is0(x) && Fp.is0(y)) return Point.ZERO;
  const right = Fp.add(Fp.mul(Fp.sqr(x), x), Point.CURVE().b);
  if (!Fp.eql(Fp.sqr(y), right)) throw new OpcodeFailure('point not on curve');
  return Point.fromAffine({ x, y });
}

/** In noble, too, the coordinates of the point at infinity are zeros. */
function encodePoint<T>({ coordinates }: PointForm<T>, { x, y }: AffinePoint<T>): Uint8Array {
  return concatBytes(coordinates.encode(x), coordinates.encode(y));
}

/**
 * Doubles and adds, because noble's own multiplication is for scalars below the order, and larger ones matter outside
 * the subgroup.
 */
function multiple<T>(Point: WeierstrassPointCons<T>, point: WeierstrassPoint<T>, scalar: bigint): WeierstrassPoint<T> {
  let sum = Point.ZERO;
  for (const bit of scalar.toString(2)) {
    sum = sum.double();
    if (bit === '1') sum = sum.add(point);
  }
  return sum;
}

function chunks(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: bytes.length / length }, (_, i) => bytes.subarray(i * length, (i + 1) * length));
}
