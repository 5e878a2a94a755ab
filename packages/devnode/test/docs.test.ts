import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLAGS } from '../src/cli-options.ts';
import { CONTROLS } from '../src/dev/control-table.ts';
import { DEFAULT_CONFIG } from '../src/rest/algod-config.ts';
import { startDevnode, type Devnode } from '../src/start-devnode.ts';
import { examplesOf, isTest, runPrograms } from './examples.ts';

const SOURCE = join(import.meta.dirname, '..', 'src');
const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/devnode.md'), 'utf8');

describe('docs/devnode.md', () => {
  let node: Devnode;

  beforeAll(async () => {
    node = await startDevnode({ port: 0 });
  });
  afterAll(() => node.stop());

  test('lists every route that the node has, and no other', async () => {
    const swagger = (await (await fetch(`${node.url}/swagger.json`)).json()) as { paths: Record<string, object> };
    const served = Object.entries(swagger.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const listed = [...PAGE.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`]*)`/g)].map(([, route]) => route ?? '');
    expect(new Set(listed)).toEqual(new Set(served));
  });

  test('lists each route’s query parameters and summary', async () => {
    const swagger = (await (await fetch(`${node.url}/swagger.json`)).json()) as {
      paths: Record<string, Record<string, { summary: string; parameters: { name: string; in: string }[] }>>;
    };
    const row = /^\| `([A-Z]+) (\/[^`]*)` *\|([^|]*)\| (?:\([^)]*\) )?(.*?) *\|$/gm;
    const rows = [...PAGE.matchAll(row)];
    expect(rows.length).toBeGreaterThan(70);
    for (const [, method = '', path = '', query = '', words] of rows) {
      const listed = [...query.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      const { parameters = [], summary } = swagger.paths[path]?.[method.toLowerCase()] ?? {};
      expect(listed, path).toEqual(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
      expect(words, path).toBe(summary);
    }
  });

  test('lists every developer control', () => {
    const section = PAGE.slice(PAGE.indexOf('## Controls'), PAGE.indexOf('### Events'));
    const listed = [...section.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)\(/g)].map(([, name]) => name),
    );
    expect(new Set(listed)).toEqual(new Set(['listen', ...Object.keys(CONTROLS)]));
  });

  test('lists every flag with the words of its help', () => {
    const listed = [...PAGE.matchAll(/^\| `--([a-z-]+)[^`]*`\s*\| (.*?)\s*\|$/gm)].map(([, name, help]) => [
      name,
      help,
    ]);
    expect(listed).toEqual(Object.entries(FLAGS).map(([name, { help }]) => [name, help]));
  });

  test('lists every key of config.json that the node takes', () => {
    const line = PAGE.split('\n').find((text) => text.startsWith('`--config` takes')) ?? '';
    const [paragraph = ''] = PAGE.slice(PAGE.indexOf(line)).split('\n\n');
    const keys = [...paragraph.matchAll(/`([A-Z]\w+)`/g)].map(([, key]) => key);
    expect(keys).toEqual(Object.keys(DEFAULT_CONFIG));
  });

  test('shows code that runs, in the package’s own page too', async () => {
    const examples = examplesOf('ts', 'docs/devnode.md', 'packages/devnode/README.md');
    expect(examples).toHaveLength(12);
    const programs = examples.filter((code) => !isTest(code));
    await runPrograms(programs.map((code) => code.replace('http://127.0.0.1:4001', node.url)));
    expect(node.latestRound).toBe(10n);
  });

  test('explains every deliberate difference from algod that the source marks, and no other', () => {
    const marked = sources(SOURCE).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/Differs from algod: ([a-z-]+)/g)].map(([, name]) => name ?? ''),
    );
    const table = PAGE.slice(PAGE.indexOf('## Deliberate differences'));
    const listed = [...table.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name ?? '');
    expect(new Set(listed)).toEqual(new Set(marked));
    expect(new Set(listed).size).toBe(listed.length);
  });
});

function sources(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}
