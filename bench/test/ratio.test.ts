import { describe, expect, it } from 'vitest';
import { cpuPerOperation, nodeCallsPerOperation, rate, ratio, type Comparison } from '../harness/ratio.ts';
import type { Slice } from '../harness/sample.ts';

function slice(side: string, round: number, change: Partial<Slice> = {}): Slice {
  return { case: 'c', side, round, operations: 100, errors: {}, seconds: 1, ...change };
}

const comparison = { ours: 'ours', theirs: 'stock', measure: rate, better: 'more' } as const;
const compare = (slices: Slice[], change: Partial<Comparison> = {}) => ratio({ ...comparison, slices, ...change });

describe('ratio', () => {
  it('is the median of the ratios of slices measured side by side', () => {
    const slices = [
      slice('ours', 1, { operations: 200 }),
      slice('stock', 1),
      slice('ours', 2, { operations: 400 }),
      slice('stock', 2),
      slice('ours', 3, { operations: 900 }),
      slice('stock', 3, { operations: 300 }),
    ];
    expect(compare(slices)).toEqual({ median: 3, min: 2, max: 4 });
  });

  it('is there for less as well as for more', () => {
    const slices = [slice('ours', 1, { cpuMs: { client: 10 } }), slice('stock', 1, { cpuMs: { client: 50 } })];
    expect(compare(slices, { measure: cpuPerOperation(), better: 'less' })?.median).toBe(5);
  });

  it.each(['ours', 'stock'])('is withheld when a single operation of %s failed', (failing) => {
    const slices = ['ours', 'stock'].map((side) => slice(side, 1, side === failing ? { errors: { timeout: 1 } } : {}));
    expect(compare(slices)).toBeUndefined();
  });

  it('is withheld when a side did nothing, was not measured, or lacks the measure', () => {
    expect(compare([slice('ours', 1), slice('stock', 1, { operations: 0 })])).toBeUndefined();
    expect(compare([slice('ours', 1)])).toBeUndefined();
    expect(compare([slice('ours', 1), slice('stock', 1), slice('ours', 2)])).toBeUndefined();
    expect(compare([slice('ours', 1), slice('stock', 1)], { measure: cpuPerOperation() })).toBeUndefined();
  });

  it('takes no notice of the errors of a side that is not compared', () => {
    const slices = [slice('ours', 1), slice('stock', 1), slice('third', 1, { errors: { refused: 3 } })];
    expect(compare(slices)?.median).toBe(1);
  });
});

describe('cost of an operation', () => {
  it('is the CPU time of the roles asked for, or of all but the node', () => {
    const measured = slice('ours', 1, { cpuMs: { node: 500, facilitator: 200, server: 100 } });
    expect(cpuPerOperation()(measured)).toBe(3);
    expect(cpuPerOperation(['node'])(measured)).toBe(5);
    expect(cpuPerOperation(['client'])(measured)).toBeUndefined();
  });

  it('counts the node’s answers over all routes', () => {
    expect(nodeCallsPerOperation(slice('ours', 1, { nodeCalls: { a: 100, b: 50 } }))).toBe(1.5);
    expect(nodeCallsPerOperation(slice('ours', 1))).toBeUndefined();
  });
});
