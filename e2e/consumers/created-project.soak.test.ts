import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { installNode } from '@avm402/nodes/other-node';
import { beforeAll, expect, it } from 'vitest';
import { type ConsumerFolder, consumerFolder, linkInstalled } from './packed.ts';

let consumer: ConsumerFolder;
/** The first project, whose packages npm installs in an empty folder. */
let first: string | undefined;

beforeAll(() => {
  consumer = consumerFolder();
  const [creator = ''] = readdirSync(consumer.tarballs).filter((file) => file.startsWith('create-avm402-'));
  consumer.run('npm', ['install', '--no-audit', '--no-fund', join(consumer.tarballs, creator)]);
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
  const project = join(consumer.path, ['project', basename(dirname(dirname(node))), framework, ...options].join('-'));
  const environment = { PATH: [dirname(node), process.env['PATH']].join(delimiter) };
  const packages = ['--packages', consumer.tarballs];
  consumer.run('npx', ['create-avm402', project, '--framework', framework, ...packages, ...options], environment);
  const run = (...args: readonly string[]): string =>
    execFileSync('npm', args, { cwd: project, encoding: 'utf8', env: { ...process.env, ...environment } });
  if (first !== undefined && node === process.execPath) linkInstalled(first, project);
  run('install', '--no-audit', '--no-fund', '--prefer-offline');
  run('prune', '--no-audit', '--no-fund', '--prefer-offline');
  first ??= project;
  expect(run('start')).toContain('settled by');
  expect(run('test')).toContain('pass 1');
  if (!options.includes('--javascript')) run('run', 'types');
}
