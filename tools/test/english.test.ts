import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const texts = globSync(
  ['{packages,apps,tools,e2e,bench}/**/*.{ts,mjs}', 'docs/**/*.md', 'packages/*/README.md', '*.md'],
  {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|written-[^/]*)$/.test(path),
  },
);

/** Words that are out of use, and words for a person where a program may be meant (CONTRIBUTING.md, Idioms). */
const UNWANTED = /\b(lest|oftener|hence|thereof|whence|whither|he|him|his|cannot|can not)\b/i;

/** The prose of a file: its comments and its tests' names, or a page without its code. */
function prose(path: string): string[] {
  const text = readFileSync(root + path, 'utf8');
  if (path.endsWith('.md')) return text.replaceAll(/```[^]*?```|`[^`]*`/g, '').split('\n');
  return text.split('\n').filter((line) => /^\s*(\/\/|\/?\*|(it|test|describe)\b.*['"`])/.test(line));
}

it('comments, names of tests and pages are plain English', () => {
  const found = texts
    .filter((path) => path !== 'CONTRIBUTING.md')
    .flatMap((path) => prose(path).flatMap((line) => (UNWANTED.test(line) ? [`${path}: ${line.trim()}`] : [])));
  expect(found).toEqual([]);
});
