import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');

/** The rows of the first table under a heading of docs/security.md, each as its cells. */
export function tableUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const lines = section.slice(0, section.indexOf('\n## ')).split('\n');
  const rows = lines.filter((line) => line.startsWith('|')).slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((text) => text.trim()),
  );
}

/** An outcome as the page writes it: reasons are code. */
export function cell(outcome: string): string {
  return outcome.replaceAll(/\b\w+_\w+\b/g, (reason) => `\`${reason}\``);
}
