import { readFile, writeFile } from 'node:fs/promises';
import { errorCount, formatSpread, RATE, ratio, spreadOf } from './figures.ts';
import { readSamples, type Sample, type Slice } from './sample.ts';
import type { Target } from '../scenario.ts';
import { scenarios } from '../scenarios/all.ts';

/** A table in Markdown with aligned columns. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map(
    (row) => `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`,
  );
  return lines.toSpliced(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`).join('\n');
}

/** The project's promises, beside the measured figures. Empty if none of them was measured. */
export function targetsTable(samples: readonly Sample[]): string {
  const rows = scenarios.flatMap(({ name, targets }) => {
    const slices = samples.find(({ scenario }) => scenario === name)?.slices ?? [];
    return slices.length === 0 ? [] : targets.map((target) => targetRow(name, target, slices));
  });
  if (rows.length === 0) return '';
  const misses = scenarios.flatMap(({ name, targets }) =>
    targets.flatMap((target) => {
      const title = titleOf(name, target);
      const isMissed = rows.some(([shown, , , verdict]) => shown === title && verdict === 'missed');
      return isMissed && target.miss !== undefined ? [`- **${title}**: ${target.miss}`] : [];
    }),
  );
  const why = misses.length === 0 ? '' : `\n\nWhy those that are missed are missed:\n\n${misses.join('\n')}`;
  return `${markdownTable([['target', 'wanted', 'measured', ''], ...rows])}${why}`;
}

function titleOf(scenario: string, { case: name, figure }: Target): string {
  return `${scenario}: ${name}, ${figure}`;
}

function targetRow(scenario: string, target: Target, all: readonly Slice[]): string[] {
  const { case: name, figure, kind, wanted } = target;
  const slices = all.filter((slice) => slice.case === name);
  const ours = slices.filter(({ side }) => side === 'ours');
  const alone = errorCount(ours) > 0 ? undefined : spreadOf(ours, figure);
  const measured = kind === 'times' ? ratio(slices, figure) : alone;
  const isMet = measured && (kind === 'atMost' ? measured.median <= wanted : measured.median >= wanted);
  const unit = kind === 'times' ? '×' : '';
  return [
    titleOf(scenario, target),
    `${kind === 'atMost' ? '≤' : '≥'} ${wanted.toLocaleString('en-US')}${unit}`,
    formatSpread(measured, unit),
    isMet === undefined ? 'not measured' : isMet ? 'met' : 'missed',
  ];
}

/** Medians over the slices of each side, in brackets the least and the greatest. */
export function figuresTable(slices: readonly Slice[]): string {
  const names = [...new Set(slices.flatMap(({ figures }) => Object.keys(figures)))];
  const rows = [...Map.groupBy(slices, (slice) => slice.case)].flatMap(([name, ofCase]) =>
    [...Map.groupBy(ofCase, ({ side }) => side)].map(([side, ofSide]) => [
      name,
      side,
      ...names.map((figure) => formatSpread(spreadOf(ofSide, figure))),
      side === 'ours' ? '' : formatSpread(ratio(ofCase, RATE), '×'),
      String(errorCount(ofSide)),
    ]),
  );
  return markdownTable([['case', 'side', ...names, 'ours faster', 'errors'], ...rows]);
}

const page = new URL('../RESULTS.md', import.meta.url);

/** `bench/RESULTS.md`: the words are its own, the tables between its marks are what the committed samples say. */
export async function results(): Promise<string> {
  const samples = await readSamples();
  const text = await readFile(page, 'utf8');
  return text.replace(
    /(<!-- table (\S+) -->)[^]*?(<!-- end -->)/g,
    (_, begin, name, end) => `${begin}\n\n${partOf(name, samples)}\n\n${end}`,
  );
}

function partOf(name: string, samples: readonly Sample[]): string {
  if (name === 'targets') return targetsTable(samples);
  const sample = samples.find(({ scenario }) => scenario === name);
  return sample ? `${sample.facts}.\n\n${figuresTable(sample.slices)}` : 'Not measured yet.';
}

export async function writeResults(): Promise<void> {
  await writeFile(page, await results());
  console.log('wrote bench/RESULTS.md');
}
