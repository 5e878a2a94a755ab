/** Falcon's prime, and the degree of its polynomials: Z_q[x] / (x^1024 + 1). */
export const FALCON_Q = 12289;
export const FALCON_DEGREE = 1024;

/** An element of order 2048, and all its powers. The powers with even exponents are the roots of x^1024 = 1. */
const ROOT = 1945;
const ROOT_ORDER = 2 * FALCON_DEGREE;
const ROOTS = powers(ROOT, ROOT_ORDER);
/** 1 / 1024. */
const INVERSE_DEGREE = FALCON_Q - (FALCON_Q - 1) / FALCON_DEGREE;

/**
 * The product of two polynomials of the ring, with coefficients from 0 to q - 1. Coefficients of the factors may be
 * negative.
 */
export function multiplyModulo(a: Int32Array, b: Int32Array): Int32Array {
  const left = transformed(twisted(a));
  const right = transformed(twisted(b));
  const product = transformed(left.map((value, i) => (value * (right[i] ?? 0)) % FALCON_Q));
  // Transformed twice, a polynomial is multiplied by 1024 and its coefficients are in the order 0, 1023, 1022, …
  return product.map((_, i) => {
    const value = (product[(FALCON_DEGREE - i) % FALCON_DEGREE] ?? 0) * INVERSE_DEGREE;
    return ((value % FALCON_Q) * root(-i)) % FALCON_Q;
  });
}

/** Multiplied by powers of a root of x^1024 = -1, so that x^1024 - 1 can replace x^1024 + 1. */
function twisted(coefficients: Int32Array): Int32Array {
  return coefficients.map((value, i) => ((value + FALCON_Q) * root(i)) % FALCON_Q);
}

/** The values of a polynomial at all roots of x^1024 = 1 (the number-theoretic transform). */
function transformed(coefficients: Int32Array): Int32Array {
  const values = coefficients.map((_, i) => coefficients[bitsReversed(i)] ?? 0);
  for (let half = 1; half < FALCON_DEGREE; half *= 2) {
    const step = FALCON_DEGREE / half;
    for (let start = 0; start < FALCON_DEGREE; start += 2 * half) {
      for (let i = start; i < start + half; i += 1) {
        const even = values[i] ?? 0;
        const odd = ((values[i + half] ?? 0) * (ROOTS[(i - start) * step] ?? 0)) % FALCON_Q;
        values[i] = (even + odd) % FALCON_Q;
        values[i + half] = (even - odd + FALCON_Q) % FALCON_Q;
      }
    }
  }
  return values;
}

function bitsReversed(index: number): number {
  let reversed = 0;
  for (let bit = 1; bit < FALCON_DEGREE; bit *= 2) reversed = 2 * reversed + (index & bit ? 1 : 0);
  return reversed;
}

function root(exponent: number): number {
  return ROOTS[(exponent + ROOT_ORDER) % ROOT_ORDER] ?? 0;
}

function powers(base: number, count: number): Int32Array {
  const values = new Int32Array(count).fill(1);
  for (let i = 1; i < count; i += 1) values[i] = ((values[i - 1] ?? 0) * base) % FALCON_Q;
  return values;
}
