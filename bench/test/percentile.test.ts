import { array, assert, double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ascending, median, percentile, spread, thinned } from '../harness/percentile.ts';

const values = array(double({ noNaN: true, min: 0, max: 1e6 }), { minLength: 1, maxLength: 500 });

describe('percentile', () => {
  it('is the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0, 0.5, 0.95, 0.99, 1].map((p) => percentile(hundred, p))).toEqual([1, 50, 95, 99, 100]);
    expect(percentile([], 0.5)).toBeUndefined();
  });

  it('is one of the values, with the asked share at or below it', () => {
    assert(
      property(values, double({ noNaN: true, min: 0, max: 1 }), (list, p) => {
        const sorted = ascending(list);
        const found = percentile(sorted, p) ?? Number.NaN;
        expect(sorted).toContain(found);
        expect(sorted.filter((value) => value <= found).length).toBeGreaterThanOrEqual(p * sorted.length);
      }),
    );
  });
});

describe('median and spread', () => {
  it('take the middle of odd and the mean of the two middle values of even counts', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 7])).toBe(6);
    expect(median([])).toBeUndefined();
    expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  });
});

describe('thinned', () => {
  it('keeps first and last, the order, and at most so many', () => {
    assert(
      property(values, integer({ min: 2, max: 50 }), (list, most) => {
        const sorted = ascending(list);
        const few = thinned(sorted, most);
        expect(few.length).toBe(Math.min(most, sorted.length));
        expect([few[0], few.at(-1)]).toEqual([sorted[0], sorted.at(-1)]);
        expect(few).toEqual(ascending(few));
      }),
    );
  });
});
