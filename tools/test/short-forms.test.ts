import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import everyday, { SHORT_FORMS } from '../../vitest.config.ts';
import soak from '../../vitest.soak.config.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it.each(SHORT_FORMS)('what a run with the soak leaves to it has its long form there: %s', (pattern) => {
  const files = globSync(pattern, { cwd: root });
  expect(files).not.toHaveLength(0);
  const longForms = files.map((file) => file.replace(/(?:\.ci)?\.test\.ts$/, '.soak.test.ts'));
  expect(longForms.filter((file) => !existsSync(root + file))).toEqual([]);
});

/** The setup of one of a configuration's projects. */
function setupOf({ test }: typeof everyday, project: string): unknown {
  const projects = (test?.projects ?? []).map((each) => Object(each).test);
  return projects.find((each) => each?.name === project)?.setupFiles;
}

it('long forms of property tests try inputs as long as the short ones do', () => {
  expect(setupOf(everyday, 'unit')).toContain('longest-inputs');
  expect(setupOf(soak, 'beside')).toBe(setupOf(everyday, 'unit'));
});
