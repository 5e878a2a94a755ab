import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** Which folder imports of which, as `from → to`. */
function arrows(): Set<string> {
  const found = globSync('**/*.ts', { cwd: source }).flatMap((file) => {
    const imports = readFileSync(join(source, file), 'utf8').matchAll(/ from '(\.[^']+)'/g);
    return [...imports].map(([, path = '']) => `${dirname(file)} → ${dirname(normalize(join(dirname(file), path)))}`);
  });
  return new Set(found);
}

it('no two folders import of each other', () => {
  const all = arrows();
  expect(all).toContain('payment → budget');
  const both = [...all].filter((arrow) => {
    const [from, to] = arrow.split(' → ');
    return from !== to && all.has(`${to} → ${from}`);
  });
  expect(both).toEqual([]);
});
