import type { BlsCurvePair } from '@noble/curves/abstract/bls.js';
import type { Fp2 } from '@noble/curves/abstract/tower.js';
import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';
import { OpcodeFailure } from '../machine/program-error.ts';
import { decodePoints, isInSubgroup, type PointForm } from './pairing-group.ts';

/** A curve with its two groups. */
export interface PairingCurve {
  readonly curve: BlsCurvePair;
  readonly g1: PointForm<bigint>;
  readonly g2: PointForm<Fp2>;
}

/** Whether the product of the pairings of points of G1 with points of G2 is one. */
export function checkPairing({ curve, g1, g2 }: PairingCurve, left: Uint8Array, right: Uint8Array): boolean {
  const lefts = subgroupPoints(g1, left);
  const rights = subgroupPoints(g2, right);
  if (lefts.length !== rights.length) throw new OpcodeFailure('invalid inputs sizes');
  const pairs = lefts.flatMap((point, i) => {
    const partner = rights[i];
    // A pairing with infinity is one, and noble does not accept such points.
    return partner === undefined || point.is0() || partner.is0() ? [] : [{ g1: point, g2: partner }];
  });
  const { Fp12 } = curve.fields;
  return Fp12.eql(curve.pairingBatch(pairs), Fp12.ONE);
}

function subgroupPoints<T>(form: PointForm<T>, bytes: Uint8Array): WeierstrassPoint<T>[] {
  const points = decodePoints(form, bytes);
  if (!points.every(isInSubgroup)) throw new OpcodeFailure('wrong subgroup');
  return points;
}
