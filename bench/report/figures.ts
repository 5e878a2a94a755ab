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

/** A median with its unit, and the range where there is one, e.g. `150 ms (140–160)`. */
export function formatMeasured({ median, min, max }: Spread, unit: string): string {
  const range = min === max ? '' : ` (${formatNumber(min)}–${formatNumber(max)})`;
  return `${formatNumber(median)}${unit}${range}`;
}

/** A factor, e.g. `12.3× (11–13)`. */
export function formatRatio(ratio: Spread | undefined): string {
  return ratio === undefined ? 'none' : formatMeasured(ratio, '×');
}
