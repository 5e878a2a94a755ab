import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsumerFolder, consumerFolder } from './packed.ts';

let consumer: ConsumerFolder;

beforeAll(() => {
  consumer = consumerFolder();
  const [creator = ''] = readdirSync(consumer.tarballs).filter((file) => file.startsWith('create-avm402-'));
  consumer.run('npm', ['install', '--no-audit', '--no-fund', join(consumer.tarballs, creator)]);
});
afterAll(() => consumer.remove());

it.each([
  { framework: 'express', options: [] },
  { framework: 'express', options: ['--javascript'] },
  { framework: 'hono', options: [] },
  { framework: 'express', options: ['--contract'] },
])(
  'a project made by the packed program for $framework $options installs, runs, and passes its test',
  ({ framework, options }: { readonly framework: string; readonly options: readonly string[] }) => {
    const project = join(consumer.path, ['project', framework, ...options].join('-'));
    const packages = ['--packages', consumer.tarballs];
    consumer.run('npx', ['create-avm402', project, '--framework', framework, ...packages, ...options]);
    const run = (...args: readonly string[]): string => execFileSync('npm', args, { cwd: project, encoding: 'utf8' });
    run('install', '--no-audit', '--no-fund', '--prefer-offline');
    expect(run('start')).toContain('settled by');
    expect(run('test')).toContain('pass 1');
    if (!options.includes('--javascript')) run('run', 'types');
  },
);
