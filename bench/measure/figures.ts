import type { Slice } from './sample.ts';

/** Names of the figures that every slice with work has. */
export const RATE = 'a second';
export const P50 = 'p50 ms';
export const P99 = 'p99 ms';
/** CPU time of all processes but the node, for one operation. */
export const CPU = 'CPU ms';
/** Requests to the node for one operation. */
export const NODE_CALLS = 'node calls';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The value below which the share `p` (0 to 1) of the values lies, by nearest rank. NaN of nothing. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(p * sorted.length)) - 1] ?? Number.NaN;
}

/** Median (of an even number of values, the mean of the two in the middle) and range. Undefined of nothing. */
export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return { median: (upper + lower) / 2, min: Math.min(...values), max: Math.max(...values) };
}

/** Median and range of a figure over slices. Undefined where no slice has it. */
export function spreadOf(slices: readonly Slice[], figure: string): Spread | undefined {
  return spread(slices.map(({ figures }) => figures[figure]).filter((value) => value !== undefined));
}

export function errorCount(slices: readonly Slice[]): number {
  return slices.flatMap(({ errors }) => Object.values(errors)).reduce((sum, count) => sum + count, 0);
}

/**
 * How many times better ours is than stock in a figure, from the slices of the same round of one case; for all figures
 * but the rate, less is better. There is no ratio when an operation failed on either side, or nothing succeeded, or a
 * figure is missing: a side that fails fast would look quick.
 */
export function ratio(slices: readonly Slice[], figure: string): Spread | undefined {
  if (errorCount(slices) > 0 || slices.some(({ operations }) => operations === 0)) return undefined;
  const valueOf = (side: Slice['side'], round: number): number =>
    slices.find((slice) => slice.side === side && slice.round === round)?.figures[figure] ?? Number.NaN;
  const ratios = [...new Set(slices.map(({ round }) => round))].map((round) => {
    const factor = valueOf('ours', round) / valueOf('stock', round);
    return figure === RATE ? factor : 1 / factor;
  });
  return ratios.every(Number.isFinite) ? spread(ratios) : undefined;
}

/** Three significant digits, or all before the point. */
const NUMBER = new Intl.NumberFormat('en-US', {
  maximumSignificantDigits: 3,
  maximumFractionDigits: 0,
  roundingPriority: 'morePrecision',
});

/** A median with three significant digits and its unit, and the range where there is one, e.g. `150 ms (140–160)`. */
export function formatSpread(measured: Spread | undefined, unit = ''): string {
  if (measured === undefined) return '–';
  const [median, min, max] = [measured.median, measured.min, measured.max].map((value) => NUMBER.format(value));
  return min === max ? `${median}${unit}` : `${median}${unit} (${min}–${max})`;
}
