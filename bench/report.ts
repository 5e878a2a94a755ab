import { writeFile } from 'node:fs/promises';
import { errorCount, formatSpread, RATE, ratio, spreadOf } from './figures.ts';
import { readSamples, type Sample, type Slice } from './sample.ts';
import type { Scenario, Target } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';

/** A table in Markdown with aligned columns. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map(
    (row) => `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`,
  );
  return lines.toSpliced(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`).join('\n');
}

/** What the project promises, beside what was measured. Empty where nothing of it was. */
export function targetsTable(samples: readonly Sample[]): string {
  const rows = scenarios.flatMap(({ name, targets }) => {
    const slices = samples.find(({ scenario }) => scenario === name)?.slices ?? [];
    return slices.length === 0 ? [] : targets.map((target) => targetRow(name, target, slices));
  });
  return rows.length === 0 ? '' : markdownTable([['target', 'wanted', 'measured', ''], ...rows]);
}

function targetRow(scenario: string, { case: name, figure, kind, wanted }: Target, all: readonly Slice[]): string[] {
  const slices = all.filter((slice) => slice.case === name);
  const ours = slices.filter(({ side }) => side === 'ours');
  const alone = errorCount(ours) > 0 ? undefined : spreadOf(ours, figure);
  const measured = kind === 'times' ? ratio(slices, figure) : alone;
  const isMet = measured && (kind === 'atMost' ? measured.median <= wanted : measured.median >= wanted);
  const unit = kind === 'times' ? '×' : '';
  return [
    `${scenario}: ${name}, ${figure}`,
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

/** `bench/RESULTS.md`, as the committed samples have it. */
export async function results(): Promise<string> {
  const samples = await readSamples();
  const sections = scenarios.flatMap((scenario) =>
    samples.filter((sample) => sample.scenario === scenario.name).map((sample) => section(scenario, sample)),
  );
  return `${[INTRODUCTION, targetsTable(samples), ...sections].join('\n\n')}\n`;
}

export async function writeResults(): Promise<void> {
  await writeFile(new URL('RESULTS.md', import.meta.url), await results());
  console.log('wrote bench/RESULTS.md');
}

const INTRODUCTION = `# Speed, side by side

\`npm run bench -- --report\` writes this page from the samples in \`bench/samples\`. Take your own with \`npm run bench\`
(some minutes) or \`npm run bench -- --full --save\`.

Both sides run as their users run them: separate programs, the installed JavaScript, real HTTP, one node for all. The
sides take turns, A B A B, after the same warm-up; the idle side is stopped. Figures are medians over the turns, in
brackets the least and the greatest; CPU time is that of all processes but the node, an operation. A ratio compares turns
that stand side by side; a failed operation on either side means no ratio. Stock are the published \`@x402/*\` packages
2.26 with their best settings: one algod client that keeps parameters as long as payments of ten rounds allow, and
connections that stay open. Nobody logs a line for each payment. Sections may differ in machine and commit: each says
which.

## Targets`;

function section({ title, method }: Scenario, { facts, slices }: Sample): string {
  return `## ${title}\n\n${method}\n\n${facts}.\n\n${figuresTable(slices)}`;
}
