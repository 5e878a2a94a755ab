import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

function turbo(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('turbo', ['run', ...args, '--ui=stream'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stdout + stderr]).toEqual([0, expect.any(String)]);
  return stdout + stderr;
}

it('builds, types, lints and tests a package once, and takes all four from the cache the next time', () => {
  const tasks = ['build', 'typecheck', 'lint', 'test', '--filter=@avm402/core'];
  expect(turbo(...tasks)).toMatch(/Tasks: +4 successful, 4 total/);
  expect(turbo(...tasks)).toMatch(/Cached: +4 cached, 4 total/);
});

it('checks the types of a package whose soaks try a part of their cases', () => {
  expect(turbo('typecheck', '--filter=@avm402/teal')).toMatch(/ successful/);
});
