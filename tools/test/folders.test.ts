import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

/** Which folder of a package imports from which, as `from → to`; files outside folders wire them together and don't count. */
function arrows(name: string): Set<string> {
  const sources = join(packages, name, 'src');
  const folderOf = (path: string): string | undefined => {
    const [folder, ...rest] = relative(sources, path).split('/');
    return rest.length > 0 ? folder : undefined;
  };
  const found = new Set<string>();
  for (const path of globSync(join(sources, '**/*.{ts,tsx}'))) {
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const [from, to] = [folderOf(path), folderOf(join(dirname(path), specifier))];
      if (from !== undefined && to !== undefined && from !== to) found.add(`${from} → ${to}`);
    }
  }
  return found;
}

it.each(readdirSync(packages))('the folders of packages/%s import one another in one direction only', (name) => {
  const all = arrows(name);
  expect([...all].filter((arrow) => all.has(arrow.split(' → ').toReversed().join(' → ')))).toEqual([]);
});

it('arrows between folders are seen', () => {
  expect(arrows('devnode')).toContain('ledger → codec');
});
