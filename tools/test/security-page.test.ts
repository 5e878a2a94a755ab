import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/security.md`, 'utf8');

it('docs/security.md lists every attack', () => {
  const attacks = globSync('e2e/attacks/**/*.test.ts', { cwd: root });
  expect(attacks.length).toBeGreaterThan(10);
  expect(attacks.filter((path) => !page.includes(`../${path})`))).toEqual([]);
});

it('each test that docs/security.md quotes is in the file that it links to, under that name', () => {
  const quotes = [...page.matchAll(/\[“([^”]+)”\]\(([^)]+)\)/g)].map(([, title = '', path = '']) => ({ title, path }));
  expect(quotes.length).toBeGreaterThan(60);
  const isThere = ({ title, path }: (typeof quotes)[number]): boolean =>
    readFileSync(join(root, 'docs', path), 'utf8').includes(title);
  expect(quotes.filter((quote) => !isThere(quote))).toEqual([]);
});
