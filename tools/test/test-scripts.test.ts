import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifests = globSync('{packages,apps}/*/package.json', { cwd: root });

/** Without it, turbo leaves the tests out; and Vitest fails if it finds no file. */
it.each(manifests)('%s has the script "test" where there are tests, and only there', (manifest) => {
  const { scripts } = JSON.parse(readFileSync(root + manifest, 'utf8')) as { scripts?: Record<string, string> };
  const tests = globSync(`${dirname(manifest)}/test/**/*.test.ts`, { cwd: root });
  expect(scripts?.['test'] !== undefined).toBe(tests.some((file) => !file.endsWith('.soak.test.ts')));
});
