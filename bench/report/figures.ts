import type { Spread } from '../harness/percentile.ts';

/** A number with three significant digits, or all of its whole ones. */
export function formatNumber(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** Median, and the range where there is one. */
export function formatSpread(spread: Spread | undefined): string {
  if (spread === undefined) return '–';
  const { median, min, max } = spread;
  const middle = formatNumber(median);
  const range = `${formatNumber(min)}–${formatNumber(max)}`;
  return range === `${middle}–${middle}` ? middle : `${middle} (${range})`;
}

/** A factor, e.g. `12.3×`. */
export function formatRatio(ratio: Spread | undefined): string {
  if (ratio === undefined) return 'none';
  return `${formatNumber(ratio.median)}× (${formatNumber(ratio.min)}–${formatNumber(ratio.max)})`;
}
