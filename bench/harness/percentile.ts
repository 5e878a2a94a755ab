/** The value below which the share `p` (0 to 1) of ascending values lies, by nearest rank. Undefined of nothing. */
export function percentile(sorted: readonly number[], p: number): number | undefined {
  const rank = Math.max(1, Math.ceil(p * sorted.length));
  return sorted[rank - 1];
}

export function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

/** Median by the usual rule: of an even number of values, the mean of the two in the middle. Undefined of nothing. */
export function median(values: readonly number[]): number | undefined {
  const sorted = ascending(values);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Median and range. Undefined of nothing. */
export function spread(values: readonly number[]): Spread | undefined {
  const middle = median(values);
  return middle === undefined ? undefined : { median: middle, min: Math.min(...values), max: Math.max(...values) };
}

/** At most `most` of ascending values, evenly picked, first and last among them, so that percentiles hardly change. */
export function thinned(values: readonly number[], most: number): number[] {
  if (values.length <= most) return [...values];
  const step = (values.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => values[Math.round(index * step)] ?? 0);
}
