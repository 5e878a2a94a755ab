import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/index.ts';
import { environment, SECTIONS, wordsOf } from '../../src/operate/settings.ts';

const inRepository = (path: string): string => new URL(`../../../../${path}`, import.meta.url).pathname;

/** What `.env.example` sets: enough for a facilitator on the embedded node, or LocalNet. */
const EXAMPLES: Readonly<Record<string, string>> = {
  ALGOD_URL: 'http://127.0.0.1:4001',
  ALGOD_TOKEN: 'a'.repeat(64),
};

const sections = SECTIONS.map(({ settings, ...section }) => {
  const rows = Object.entries(settings).map(([name, schema]) => ({ name, ...wordsOf(schema) }));
  return { ...section, rows };
});

it('what people read names every setting that is read, once', () => {
  const named = sections.flatMap(({ rows }) => rows.map(({ name }) => name));
  expect(named.toSorted()).toEqual(Object.keys(environment.shape).toSorted());
  expect(sections.flatMap(({ rows }) => rows.filter(({ help }) => help === ''))).toEqual([]);
});

it('docs/facilitator/settings.md says what --help says', async () => {
  await expect(page()).toMatchFileSnapshot(inRepository('docs/facilitator/settings.md'));
});

it('so does the facilitator’s part of .env.example, in which a line works once it is uncommented', async () => {
  const file = inRepository('.env.example');
  const [others = ''] = readFileSync(file, 'utf8').split(/(?<=^# --- facilitator .*\n)/m);
  await expect(others + example()).toMatchFileSnapshot(file);
  const lines = [...example().matchAll(/^(?:# )?([A-Z_]+)=(.+)$/gm)].map(([, name = '', value]) => [name, value]);
  expect(parseConfig(Object.fromEntries(lines))).toMatchObject({ port: 4022, retentionDays: 90 });
});

function page(): string {
  const parts = sections.map(({ title, note, rows }) => {
    const cells = rows.map(({ name, otherwise = '', help }) => [`\`${name}\``, otherwise, help]);
    return [
      `## ${title}`,
      ...(note === undefined ? [] : [note]),
      table(['variable', 'default', 'meaning'], cells),
    ].join('\n\n');
  });
  const head = [
    '# Settings of the facilitator',
    'Environment variables, or lines of the file that `--config` names. `avm402-facilitator --help` says the same.',
  ];
  return `${[...head, ...parts].join('\n\n')}\n`;
}

function table(heading: readonly string[], cells: readonly (readonly string[])[]): string {
  const widths = heading.map((_, column) => Math.max(...[heading, ...cells].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[], fill = ' '): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  return [
    line(heading),
    line(
      heading.map(() => ''),
      '-',
    ),
    ...cells.map((row) => line(row)),
  ].join('\n');
}

function example(): string {
  const parts = sections.map(({ title, note, rows }) => {
    const lines = rows.flatMap(({ name, otherwise = '', help }) => {
      if (EXAMPLES[name] !== undefined) return [`# ${help}`, `${name}=${EXAMPLES[name]}`];
      const isValue = /^[\w.:-]+$/.test(otherwise);
      const words = isValue || otherwise === '' ? help : `${help} (default: ${otherwise})`;
      return [`# ${words}`, `# ${name}=${isValue ? otherwise : ''}`];
    });
    return [`# ${title}${note === undefined ? '' : `. ${note}`}`, ...lines].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}
