import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const clone = mkdtempSync(join(tmpdir(), 'avm402-clone-'));
afterAll(() => rmSync(clone, { recursive: true }));

/** Runs a program of the machine, or of the clone itself; nothing of this installation is on its PATH. */
function run(program: string, ...args: string[]): string {
  const PATH = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.startsWith(root));
  const env = { ...process.env, PATH: PATH.join(delimiter) };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: clone, env, encoding: 'utf8' });
  expect([status, stdout + stderr]).toEqual([0, expect.any(String)]);
  return stdout + stderr;
}

it('in a fresh clone, pnpm install and pnpm build make the programs work, without a warning about engines', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.trim().split('\n')) cpSync(join(root, file), join(clone, file));
  const pnpm = ['-y', 'pnpm@12.21.0'];
  expect(run('npx', ...pnpm, 'install', '--frozen-lockfile', '--prefer-offline')).not.toMatch(/engine/i);
  run('npx', ...pnpm, 'build');
  for (const program of ['avm402', 'avm402-devnode', 'avm402-facilitator', 'avm402-console']) {
    expect(run('npx', program, '--version')).toMatch(/^\d+\.\d+\.\d+$/m);
  }
});
