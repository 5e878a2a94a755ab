import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { installNode } from '@avm402/nodes/other-node';
import { beforeAll, expect, inject, it } from 'vitest';
import { type ConsumerFolder, consumerFolder, installIn } from './packed.ts';

const tarballs = inject('tarballs');
let consumer: ConsumerFolder;

beforeAll(() => {
  consumer = consumerFolder();
  const [creator = ''] = readdirSync(tarballs).filter((file) => file.startsWith('create-avm402-'));
  consumer.run('npm', ['install', '--no-audit', '--no-fund', join(tarballs, creator)]);
});

it.each([
  { framework: 'express', options: [] },
  { framework: 'express', options: ['--javascript'] },
  { framework: 'hono', options: [] },
  { framework: 'express', options: ['--contract'] },
])('a project made by the packed program for $framework $options installs, runs, and passes its test', (kind) =>
  aProjectWorks(kind),
);

it('a project made with Node 20 runs on the Node that it brings', () => {
  using node = installNode(20);
  aProjectWorks({ framework: 'express', options: [], node: node.program });
});

interface Kind {
  readonly framework: string;
  readonly options: readonly string[];
  /** The Node that makes the project. Default: that of this test. */
  readonly node?: string;
}

function aProjectWorks({ framework, options, node = process.execPath }: Kind): void {
  const project = join(
    inject('consumers'),
    ['project', basename(dirname(dirname(node))), framework, ...options].join('-'),
  );
  const environment = { PATH: [dirname(node), process.env['PATH']].join(delimiter) };
  const packages = ['--packages', tarballs];
  consumer.run('npx', ['create-avm402', project, '--framework', framework, ...packages, ...options], environment);
  const env = { ...process.env, ...environment };
  const run = (...args: readonly string[]): string =>
    execFileSync('npm', args, { cwd: project, encoding: 'utf8', env });
  installIn(project, env);
  expect(run('start')).toContain('settled by');
  expect(run('test')).toContain('pass 1');
  // Another Node's project has the same sources and types.
  if (!options.includes('--javascript') && node === process.execPath) run('run', 'types');
}
