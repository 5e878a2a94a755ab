import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The files and folders that a page names. A part of a path in capitals is up to the reader. */
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

/** The sections about the inside of a package, with the names and arrows of their diagrams. */
const insides = readFileSync(`${root}ARCHITECTURE.md`, 'utf8')
  .split(/^### packages\//m)
  .slice(1)
  .map((section) => {
    const [name = ''] = section.split('\n');
    const picture = /```mermaid\n([^`]*)```/.exec(section)?.[1] ?? '';
    const lines = picture
      .replaceAll(/\["[^"]*"\]/g, '')
      .split('\n')
      .slice(1);
    const arrows = lines.map((line) => line.trim().split(' --> ')).filter(([from]) => from !== '');
    return { name, arrows };
  });

describe.each(insides)('the picture of packages/$name', ({ name, arrows }) => {
  const sources = `${root}packages/${name}/src`;

  it('draws what is there', () => {
    const drawn = new Set<string>(arrows.flat().filter((node) => node !== 'src'));
    expect(
      [...drawn].filter((node) => !existsSync(`${sources}/${node}`) && !existsSync(`${sources}/${node}.ts`)),
    ).toEqual([]);
    const folders = readdirSync(sources, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((folder) => folder.name).filter((folder) => !drawn.has(folder))).toEqual([]);
  });

  it('draws only imports that are there', () => {
    const missing = arrows.filter(([from = '', to]) => to !== undefined && !imports(sources, from, to));
    expect(missing).toEqual([]);
  });
});

it('each package has a picture of its inside', () => {
  expect(insides.map(({ name }) => name).toSorted()).toEqual(readdirSync(`${root}packages`).toSorted());
});

/** Whether a folder or file imports from another one. `src` stands for the files outside folders. */
function imports(sources: string, from: string, to: string): boolean {
  const files =
    from === 'src'
      ? globSync(`${sources}/*.ts`)
      : globSync([`${sources}/${from}.ts`, `${sources}/${from}/**/*.{ts,tsx}`]);
  return files.some((file) =>
    importsOf(readFileSync(file, 'utf8')).some((specifier) => {
      if (!specifier.startsWith('.')) return false;
      const target = relative(sources, join(dirname(file), specifier));
      if (to === 'src') return !target.includes('/');
      return target === `${to}.ts` || target.startsWith(`${to}/`);
    }),
  );
}
