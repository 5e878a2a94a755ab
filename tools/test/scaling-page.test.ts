import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const cells = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The table under a heading, as objects by its column names. */
function tableUnder(heading: string, page: string): Record<string, string>[] {
  const [, rest = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  const [head = '', , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  const names = cells(head);
  return rows.map((row) => Object.fromEntries(cells(row).map((cell, index) => [names[index], cell])));
}

it('the figures of docs/scaling.md are those of bench/RESULTS.md', () => {
  const results = read('bench/RESULTS.md');
  const rows = tableUnder('What one carries', read('docs/scaling.md'));
  expect(rows.length).toBeGreaterThan(3);
  for (const { bench = '', ...figures } of rows) {
    const ours = tableUnder(bench, results).filter(({ side }) => side === 'ours');
    expect(ours).toContainEqual(expect.objectContaining(figures));
  }
});
