import { spread } from '../harness/percentile.ts';
import { errorCount, type Measure } from '../harness/ratio.ts';
import type { Slice } from '../harness/sample.ts';
import { formatNumber } from './figures.ts';
import { casesOf } from './scenario-report.ts';

const BAR_HEIGHT = 18;
const BAR_GAP = 4;
const CASE_GAP = 14;
const LABEL_WIDTH = 330;
const BAR_WIDTH = 430;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + 140;
const COLOURS = ['#0f766e', '#b45309', '#7c3aed', '#64748b'] as const;

/** Horizontal bars, one for each side of each case: the median, with a line from the least to the greatest slice. */
export function barChart(title: string, slices: readonly Slice[], measure: Measure): string {
  const cases = casesOf(slices);
  const bars = cases.flatMap(({ name, sides }) =>
    sides.map((side, index) => ({
      label: `${name}, ${side.name}`,
      colour: COLOURS[index % COLOURS.length] ?? COLOURS[0],
      isFirst: index === 0,
      failed: errorCount(side.slices) > 0,
      value: spread(side.slices.map(measure).filter((value) => value !== undefined)),
    })),
  );
  const greatest = Math.max(...bars.map(({ value }) => value?.max ?? 0), Number.MIN_VALUE);
  const scale = BAR_WIDTH / greatest;
  let y = 34;
  const shapes = bars.map(({ label, colour, isFirst, failed, value }, index) => {
    if (index > 0) y += BAR_HEIGHT + (isFirst ? CASE_GAP : BAR_GAP);
    return bar({ label, colour, y, scale, failed, value });
  });
  const height = y + BAR_HEIGHT + 14;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="10" y="20" font-size="14" font-weight="bold">${escapeText(title)}</text>`,
    ...shapes,
    '</svg>\n',
  ].join('\n');
}

interface Bar {
  readonly label: string;
  readonly colour: string;
  readonly y: number;
  /** Pixels of one unit. */
  readonly scale: number;
  readonly failed: boolean;
  readonly value: { readonly median: number; readonly min: number; readonly max: number } | undefined;
}

function bar({ label, colour, y, scale, failed, value }: Bar): string {
  const middle = y + BAR_HEIGHT / 2;
  const text = `<text x="${LABEL_WIDTH - 8}" y="${middle + 4}" text-anchor="end">${escapeText(label)}</text>`;
  if (value === undefined) return text;
  const [least, end, greatest] = [value.min, value.median, value.max].map((v) => (LABEL_WIDTH + v * scale).toFixed(1));
  const width = Math.max(1, value.median * scale).toFixed(1);
  return [
    text,
    `<rect x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT}" fill="${colour}"/>`,
    `<line x1="${least}" x2="${greatest}" y1="${middle}" y2="${middle}" stroke="#0f172a"/>`,
    `<text x="${Math.max(Number(end), Number(greatest)) + 6}" y="${middle + 4}">` +
      `${formatNumber(value.median)}${failed ? ' (with errors)' : ''}</text>`,
  ].join('\n');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
