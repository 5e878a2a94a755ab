import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const compile = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'write-dist.mjs')]);
};

/**
 * Compiles the packages before the first test, unless `run.mjs` has, and before each rerun: tests start programs as users
 * have them.
 */
export default async function compilePrograms(project: TestProject): Promise<void> {
  if (process.env['COMPILED_IN'] !== fileURLToPath(new URL('..', import.meta.url))) await compile();
  project.onTestsRerun(compile);
}
