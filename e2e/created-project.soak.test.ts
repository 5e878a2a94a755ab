import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'avm402-created-'));
const tarballs = join(folder, 'tarballs');

function run(cwd: string, command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8' });
}

beforeAll(() => {
  for (const name of readdirSync(join(root, 'packages'))) {
    run(root, 'pnpm', '--dir', join(root, 'packages', name), 'pack', '--pack-destination', tarballs);
  }
  const [creator = ''] = readdirSync(tarballs).filter((file) => file.startsWith('create-avm402-'));
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefix', folder, join(tarballs, creator));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  { framework: 'express', options: [] },
  { framework: 'express', options: ['--javascript'] },
  { framework: 'hono', options: [] },
])(
  'a project made by the packed program for $framework $options installs, runs, and passes its test',
  ({ framework, options }: { readonly framework: string; readonly options: readonly string[] }) => {
    const program = join(folder, 'node_modules/.bin/create-avm402');
    const project = join(folder, ['project', framework, ...options].join('-'));
    run(folder, program, project, '--framework', framework, '--packages', tarballs, ...options);
    run(project, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline');
    expect(run(project, 'npm', 'start')).toContain('settled by');
    expect(run(project, 'npm', 'test')).toContain('pass 1');
    if (!options.includes('--javascript')) run(project, 'npm', 'run', 'types');
  },
);
