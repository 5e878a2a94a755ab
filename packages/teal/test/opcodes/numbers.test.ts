import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StackValue } from '../../src/run.ts';
import { runOperation } from './operation.ts';

const MAX = 2n ** 64n - 1n;

const uint64 = fc.oneof(fc.bigInt({ min: 0n, max: MAX }), fc.bigInt({ min: 0n, max: 70n }), fc.constant(MAX));
const number = fc.uint8Array({ maxLength: 64 });

/** The stack after an opcode, or why it failed. */
function outcome(name: string, args: readonly StackValue[]): readonly StackValue[] | string {
  const result = runOperation(name, undefined, args);
  return 'out' in result ? result.out : result.error;
}

const big = (bytes: Uint8Array): bigint => BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);

const shortest = (value: bigint): Uint8Array => {
  const hex = value === 0n ? '' : value.toString(16);
  return Uint8Array.from(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'));
};

const bit = (value: boolean): bigint => (value ? 1n : 0n);
const fits = (value: bigint, name: string): StackValue[] | string => (value > MAX ? `${name} overflowed` : [value]);

describe('arithmetic of two integers is that of whole numbers, where the result fits', () => {
  it.each<[string, (a: bigint, b: bigint) => StackValue[] | string]>([
    ['+', (a, b) => fits(a + b, '+')],
    ['-', (a, b) => (a < b ? '- would result negative' : [a - b])],
    ['*', (a, b) => fits(a * b, '*')],
    ['/', (a, b) => (b === 0n ? '/ 0' : [a / b])],
    ['%', (a, b) => (b === 0n ? '% 0' : [a % b])],
    ['mulw', (a, b) => [(a * b) >> 64n, (a * b) & MAX]],
    ['addw', (a, b) => [(a + b) >> 64n, (a + b) & MAX]],
    ['<', (a, b) => [bit(a < b)]],
    ['>=', (a, b) => [bit(a >= b)]],
    ['==', (a, b) => [bit(a === b)]],
    ['&&', (a, b) => [bit(a > 0n && b > 0n)]],
    ['|', (a, b) => [a | b]],
    ['^', (a, b) => [a ^ b]],
    ['shl', (a, b) => (b > 63n ? `shl arg too big, (${b})` : [(a << b) & MAX])],
    ['shr', (a, b) => (b > 63n ? `shr arg too big, (${b})` : [a >> b])],
  ])('%s', (name, expected) => {
    fc.assert(
      fc.property(uint64, uint64, (a, b) => {
        expect(outcome(name, [a, b])).toEqual(expected(a, b));
      }),
    );
  });

  it('divmodw divides 128 bits by 128 bits', () => {
    fc.assert(
      fc.property(uint64, uint64, uint64, uint64, (a, b, c, d) => {
        const dividend = (a << 64n) | b;
        const divisor = (c << 64n) | d;
        const halves = (wide: bigint): bigint[] => [wide >> 64n, wide & MAX];
        const expected = divisor && [...halves(dividend / divisor), ...halves(dividend % divisor)];
        expect(outcome('divmodw', [a, b, c, d])).toEqual(expected === 0n ? '/ 0' : expected);
      }),
    );
  });

  it('sqrt is the greatest number whose square is not above', () => {
    fc.assert(
      fc.property(uint64, (value) => {
        const [root] = outcome('sqrt', [value]);
        expect(typeof root === 'bigint' && root * root <= value && (root + 1n) ** 2n > value).toBe(true);
      }),
    );
  });

  it('exp and expw are powers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n, max: 12n }), fc.bigInt({ min: 0n, max: 40n }), (base, exponent) => {
        const power = base ** exponent;
        const overflow = `${base}^${exponent} overflow`;
        expect(outcome('exp', [base, exponent])).toEqual(power > MAX ? overflow : [power]);
        const halves = [power >> 64n, power & MAX];
        expect(outcome('expw', [base, exponent])).toEqual(power >> 128n ? overflow : halves);
      }),
    );
  });
});

describe('arithmetic of byte strings is that of the numbers that they are', () => {
  it.each<[string, (a: bigint, b: bigint) => bigint | string]>([
    ['b+', (a, b) => a + b],
    ['b-', (a, b) => (a < b ? 'byte math would have negative result' : a - b)],
    ['b*', (a, b) => a * b],
    ['b/', (a, b) => (b === 0n ? 'division by zero' : a / b)],
    ['b%', (a, b) => (b === 0n ? 'modulo by zero' : a % b)],
  ])('%s', (name, expected) => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const result = expected(big(a), big(b));
        expect(outcome(name, [a, b])).toEqual(typeof result === 'string' ? result : [shortest(result)]);
      }),
    );
  });

  it('bitlen counts from the first bit that is set, of any length', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4000 }), number, (zeros, tail) => {
        const value = Uint8Array.from([...new Uint8Array(zeros), ...tail]);
        const bits = big(tail) === 0n ? 0n : BigInt(big(tail).toString(2).length);
        expect(outcome('bitlen', [value])).toEqual([bits]);
      }),
    );
  });
});

describe('bits', () => {
  it('that are set are read back, and no other changes', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.oneof(bytes, uint64),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 0, max: 1 }),
        (target, i, j, value) => {
          const size = typeof target === 'bigint' ? 64 : 8 * target.length;
          const [place, other] = [BigInt(i % size), BigInt(j % size)];
          const [changed] = outcome('setbit', [target, place, BigInt(value)]);
          if (changed === undefined || typeof changed === 'string') throw new Error('setbit failed');
          expect(outcome('getbit', [changed, place])).toEqual([BigInt(value)]);
          if (other !== place) expect(outcome('getbit', [changed, other])).toEqual(outcome('getbit', [target, other]));
        },
      ),
    );
  });
});
