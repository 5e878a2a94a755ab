import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The names under which a package's entries are imported; the root has no name. */
function entriesOf(manifest: string): string[] {
  const { exports = {} }: { exports?: Record<string, unknown> } = JSON.parse(
    readFileSync(join(root, manifest), 'utf8'),
  );
  return Object.keys(exports)
    .filter((entry) => entry !== '.' && entry !== './package.json')
    .map((entry) => entry.slice('./'.length));
}

it.each(globSync('packages/*/package.json', { cwd: root }).toSorted())(
  'the README beside %s names each entry',
  (manifest) => {
    const readme = readFileSync(join(root, dirname(manifest), 'README.md'), 'utf8');
    expect(entriesOf(manifest).filter((entry) => !readme.includes(entry))).toEqual([]);
  },
);
