import { describe, expect, it } from 'vitest';
import type { Sample, Slice } from '../harness/sample.ts';
import { targetRows } from '../report/targets.ts';
import { OURS, STOCK_BEST, STOCK_PUBLISHED } from '../scenarios/sides.ts';

const machine = { processor: 'p', cores: 2, memoryGiB: 1, system: 's', node: 'n' };

function verifySample(rates: Readonly<Record<string, number>>, errors: Slice['errors'] = {}): Map<string, Sample> {
  const slices = Object.entries(rates).map(([side, operations]) => ({
    case: 'concurrency 10',
    side,
    round: 1,
    operations,
    seconds: 1,
    errors: side === STOCK_BEST ? errors : {},
  }));
  const facts = { full: false, takenAt: '', machine, loadAverage: { before: 0, after: 0 } };
  return new Map([['verify', { scenario: 'verify', ...facts, slices }]]);
}

function verdict(samples: Map<string, Sample>) {
  const row = targetRows(samples).find(({ name }) => name.startsWith('verifications a second'));
  return [row?.measured, row?.verdict];
}

describe('a target', () => {
  it('is met only against the better of the stock wirings', () => {
    expect(verdict(verifySample({ [OURS]: 1000, [STOCK_PUBLISHED]: 100, [STOCK_BEST]: 200 }))).toEqual(['5×', 'met']);
    expect(verdict(verifySample({ [OURS]: 990, [STOCK_PUBLISHED]: 100, [STOCK_BEST]: 200 }))).toEqual([
      '4.95×',
      'missed',
    ]);
  });

  it('has no outcome when an operation failed, or nothing was measured', () => {
    const rates = { [OURS]: 1000, [STOCK_PUBLISHED]: 100, [STOCK_BEST]: 100 };
    expect(verdict(verifySample(rates, { timeout: 1 }))).toEqual(['–', 'not measured']);
    expect(verdict(new Map())).toEqual(['–', 'not measured']);
  });
});
