import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, program, run } from './created-project.ts';

it.each([
  [['somewhere', '--framework', 'rails'], 'no framework rails: express or hono'],
  [['somewhere', '--packages', '.'], 'has no tarball avm402-core-*.tgz'],
  [['one', 'two'], 'one folder, not 2'],
  [['--colour'], "Unknown option '--colour'"],
])('%j is refused with what is wrong', (args, message) => {
  expect(run([program, ...args])).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

it('a folder that is not empty is left alone', () => {
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  expect(run([program, '.'])).toMatchObject({ status: 2, stderr: expect.stringContaining('is not empty') });
});
