import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files and folders that a page names. In capitals, a part of a path is up to the reader. */
function namedIn(page: string): string[] {
  const paths = readFileSync(root + page, 'utf8').matchAll(/`((?:packages|apps|tools|e2e|bench)\/[^`*]*)`/g);
  return [...paths].map(([, path = '']) => path).filter((path) => !/\b[A-Z]{3,}\b/.test(path));
}

const named = namedIn('ARCHITECTURE.md');

it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only files and folders that exist', (page) => {
  expect(namedIn(page).filter((path) => !existsSync(root + path))).toEqual([]);
});

describe('ARCHITECTURE.md', () => {
  it('names the files of a payment', () => expect(named.length).toBeGreaterThan(20));

  it('names every package', () => {
    const packages = readdirSync(`${root}packages`).map((name) => `packages/${name}`);
    expect(packages.filter((path) => !named.includes(path))).toEqual([]);
  });
});
