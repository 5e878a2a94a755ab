import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

/** The folder of a source file, by its first name; files outside folders wire the others together and don't count. */
function folderOf(path: string): string | undefined {
  const [folder, ...rest] = relative(sources, path).split('/');
  return rest.length > 0 ? folder : undefined;
}

/** Which folder imports from which, as `from → to`. */
function arrows(): Set<string> {
  const found = new Set<string>();
  for (const path of globSync(join(sources, '**/*.ts'))) {
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const [from, to] = [folderOf(path), folderOf(join(dirname(path), specifier))];
      if (from !== undefined && to !== undefined && from !== to) found.add(`${from} → ${to}`);
    }
  }
  return found;
}

describe('the folders of the sources', () => {
  it('import one another in one direction only', () => {
    const all = arrows();
    expect(all).toContain('ledger → codec');
    const both = [...all].filter((arrow) => all.has(arrow.split(' → ').toReversed().join(' → ')));
    expect(both).toEqual([]);
  });
});
