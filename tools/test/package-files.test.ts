import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const RELATIVE = /new URL\([^)]*\.\.\/[^)]*, import\.meta\.url\)/;

it('what finds a file of its package from its own place lies directly in src, as in dist all code of programs does', () => {
  const finders = globSync('{packages,apps}/*/src/**/*.ts', { cwd: root }).filter((file) =>
    RELATIVE.test(readFileSync(root + file, 'utf8')),
  );
  expect(finders.length).toBeGreaterThan(0);
  expect(finders.filter((file) => file.split('/').length !== 4)).toEqual([]);
});
