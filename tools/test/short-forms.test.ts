import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { SHORT_FORMS } from '../../vitest.config.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it.each(SHORT_FORMS)('what a run with the soak leaves to it has its long form there: %s', (pattern) => {
  const files = globSync(pattern, { cwd: root });
  expect(files).not.toHaveLength(0);
  const longForms = files.map((file) => file.replace(/(?:\.ci)?\.test\.ts$/, '.soak.test.ts'));
  expect(longForms.filter((file) => !existsSync(root + file))).toEqual([]);
});
