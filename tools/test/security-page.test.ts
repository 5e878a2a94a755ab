import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('docs/security.md lists every attack', () => {
  const page = readFileSync(`${root}docs/security.md`, 'utf8');
  const attacks = globSync('e2e/attacks/*.test.ts', { cwd: root });
  expect(attacks.length).toBeGreaterThan(10);
  expect(attacks.filter((path) => !page.includes(`../${path})`))).toEqual([]);
});
