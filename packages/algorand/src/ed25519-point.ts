/** Order of the group's prime subgroup (RFC 8032 §5.1), little endian. */
const L = littleEndian(2n ** 252n + 27742317777372353535851937790883648493n);

const P = 2n ** 255n - 19n;
const P_BYTES = littleEndian(P);

/** The y of the points of order 8. With 0 (order 4), 1 (order 1) and -1 (order 2) these are all y of small order. */
const Y8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
const SMALL_ORDER_Y = [0n, 1n, P - 1n, Y8, P - Y8].map(littleEndian);

/** Whether S, the second half of a signature, is below the group order: otherwise the signature is malleable. */
export function isScalarBelowOrder(scalar: Uint8Array): boolean {
  return isBelow(scalar, L);
}

/**
 * Whether y, without the sign bit, is below the field's prime. Each point then has one encoding (but see small order).
 */
export function isCanonicalY(point: Uint8Array): boolean {
  return isBelow(withoutSign(point), P_BYTES);
}

/** Whether a canonical y belongs to a point of order 1, 2, 4 or 8. */
export function isSmallOrderY(point: Uint8Array): boolean {
  const y = withoutSign(point);
  return SMALL_ORDER_Y.some((small) => small.every((byte, index) => byte === y[index]));
}

function withoutSign(point: Uint8Array): Uint8Array {
  const y = Uint8Array.from(point);
  y[31] = (y[31] ?? 0) & 0x7f;
  return y;
}

function isBelow(value: Uint8Array, bound: Uint8Array): boolean {
  for (let index = 31; index >= 0; index--) {
    const difference = (value[index] ?? 0) - (bound[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}
