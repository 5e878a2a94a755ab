import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isX402Error, type X402ErrorCode } from '../src/errors.ts';
import { formatMoney, parseAtomicAmount, parsePrice, withSeparators } from '../src/price.ts';

function codeOf(action: () => unknown): X402ErrorCode | undefined {
  try {
    action();
  } catch (error) {
    if (isX402Error(error)) return error.code;
    throw error;
  }
  return undefined;
}

const decimals = fc.integer({ min: 0, max: 19 });
const atomic = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });

describe('a price', () => {
  it.each([
    ['$0.01', 6, 10_000n],
    ['0.01', 6, 10_000n],
    ['$1', 6, 1_000_000n],
    ['$1.500000', 6, 1_500_000n],
    ['$0.10000000', 6, 100_000n],
    ['$3', 0, 3n],
    ['$18446744073709551615', 0, 18_446_744_073_709_551_615n],
  ])('%s of an asset with %i decimals is %s atomic units', (price, places, expected) => {
    expect(parsePrice(price, places)).toBe(expected);
  });

  it.each<[string, number, X402ErrorCode]>([
    ['$0.0000001', 6, 'price_too_precise'],
    ['$0.5', 0, 'price_too_precise'],
    ['$0', 6, 'price_not_positive'],
    ['$0.000', 6, 'price_not_positive'],
    ['-1', 6, 'price_not_positive'],
    ['$-1', 6, 'price_not_positive'],
    ['-$0.01', 6, 'price_not_positive'],
    ['--1', 6, 'invalid_price'],
    ['1e-2', 6, 'invalid_price'],
    ['$01', 6, 'invalid_price'],
    ['$.5', 6, 'invalid_price'],
    ['$1.', 6, 'invalid_price'],
    ['1,000', 6, 'invalid_price'],
    [' $1', 6, 'invalid_price'],
    ['', 6, 'invalid_price'],
    ['NaN', 6, 'invalid_price'],
    ['$١', 6, 'invalid_price'],
    ['$18446744073709551616', 0, 'invalid_amount'],
    ['$1', -1, 'invalid_decimals'],
    ['$1', 20, 'invalid_decimals'],
    ['$1', 1.5, 'invalid_decimals'],
    ['$1', Number.NaN, 'invalid_decimals'],
  ])('%s of an asset with %i decimals is refused: %s', (price, places, code) => {
    expect(codeOf(() => parsePrice(price, places))).toBe(code);
  });

  it('written and read again is the same amount', () => {
    fc.assert(
      fc.property(atomic, decimals, (amount, places) => {
        expect(parsePrice(formatMoney(amount, places), places)).toBe(amount);
      }),
    );
  });

  it.each([
    [10_000n, 6, '$0.01'],
    [1_500_000n, 6, '$1.50'],
    [1_000_000n, 6, '$1'],
    [1_005_000n, 6, '$1.005'],
    [5n, 1, '$0.5'],
    [3n, 0, '$3'],
    [0n, 6, '$0'],
    [-10_000n, 6, '-$0.01'],
  ])('of %s atomic units at %i decimals is written %s', (amount, places, expected) => {
    expect(formatMoney(amount, places)).toBe(expected);
  });

  it('with one digit more than the asset has is refused, never rounded', () => {
    fc.assert(
      fc.property(atomic, decimals, (amount, places) => {
        const whole = formatMoney(amount, places);
        const point = whole.includes('.') ? '' : '.';
        const missing = places - (whole.split('.')[1]?.length ?? 0);
        const finer = `${whole}${point}${'0'.repeat(missing)}1`;
        expect(codeOf(() => parsePrice(finer, places))).toBe('price_too_precise');
      }),
    );
  });

  it('from outside is read or refused with a code', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), decimals, (text, places) => {
        const code = codeOf(() => expect(parsePrice(text, places)).toBeGreaterThan(0n));
        expect([undefined, 'invalid_price', 'price_too_precise', 'price_not_positive', 'invalid_amount']).toContain(
          code,
        );
      }),
    );
  });
});

describe('what is no price', () => {
  it.each([
    ['twelve cents', '"twelve cents"'],
    ['a'.repeat(40), `"${'a'.repeat(40)}"`],
    // As long as a key.
    ['a'.repeat(41), 'a text of 41 characters'],
    ['word '.repeat(25), 'a text of 125 characters'],
    [`key: ${'word '.repeat(25)}`, 'a text of 130 characters'],
    [['a key'], 'a value of type object'],
    [5, 'a value of type number'],
  ])('is quoted only where it can be no secret: %j', (given, shown) => {
    const message = `not a price: ${shown}`;
    expect(() => parsePrice(given as string, 6)).toThrow(expect.objectContaining({ code: 'invalid_price', message }));
  });
});

describe('an atomic amount', () => {
  it('is decimal digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (amount) => {
        expect(parseAtomicAmount(amount.toString())).toBe(amount);
      }),
    );
  });

  it.each(['', '-1', '+1', '01', '1.0', '1e3', '0x10', ' 1', '1 ', '18446744073709551616', '9'.repeat(30)])(
    'is not %j',
    (text) => {
      expect(codeOf(() => parseAtomicAmount(text))).toBe('invalid_amount');
    },
  );
});

it.each([
  ['$0.01', '$0.01'],
  ['$999', '$999'],
  ['$1000', '$1,000'],
  ['-$1234567.123456', '-$1,234,567.123456'],
  ['18446744073709551615', '18,446,744,073,709,551,615'],
  ['1000000 atomic units of asset 10458941', '1,000,000 atomic units of asset 10458941'],
])('%s is shown to people as %s', (amount, shown) => {
  expect(withSeparators(amount)).toBe(shown);
});
