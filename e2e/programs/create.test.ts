import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { startDevnode } from '@avm402/devnode';
import { expect, it, onTestFinished } from 'vitest';
import { projectFiles, type ProjectOptions } from '../../packages/create-avm402/src/project.ts';
import { sendFrom } from '../send-from.ts';
import { program, projectFolder, run } from './created-project.ts';
import { fencedBlocks } from '../documentation/pages.ts';

const folder = projectFolder();

it.each([
  [['somewhere', '--framework', 'rails'], 'no framework rails: express or hono'],
  [['somewhere', '--packages', '.'], 'has no tarball avm402-core-0.0.0.tgz'],
  [['one', 'two'], 'one folder, not 2'],
  [['--colour'], "Unknown option '--colour'"],
])('%j is refused with what is wrong', (args, message) => {
  expect(run(folder, [program, ...args])).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

it('of tarballs of several versions it takes those of its own', () => {
  const tarballs = join(folder, 'tarballs');
  mkdirSync(tarballs);
  const names = ['core', 'algorand', 'teal', 'avm', 'client', 'server', 'facilitator', 'devnode'];
  for (const name of names)
    for (const version of ['0.0.0-next.1', '0.0.0', '0.1.0'])
      writeFileSync(join(tarballs, `avm402-${name}-${version}.tgz`), '');
  expect(run(folder, [program, 'of-tarballs', '--packages', 'tarballs'])).toMatchObject({ status: 0 });
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'of-tarballs', 'package.json'), 'utf8'));
  expect(dependencies['@avm402/core']).toBe(`file:${join(tarballs, 'avm402-core-0.0.0.tgz')}`);
});

it('a folder that is not empty is left alone, and one with nothing but a repository is taken', () => {
  mkdirSync(join(folder, 'repository', '.git'), { recursive: true });
  expect(run(folder, [program, 'repository'])).toMatchObject({ status: 0 });
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  expect(run(folder, [program, '.'])).toMatchObject({ status: 2, stderr: expect.stringContaining('is not empty') });
});

it('a file in the place of the folder is told, and so is a folder in a file', () => {
  for (const place of ['mine.txt', 'mine.txt/shop']) {
    const { status, stderr } = run(folder, [program, place]);
    expect([status, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toContain('not a directory');
    expect(stderr).not.toContain('--help');
  }
});

it('a project that the disk has no room for leaves nothing in the folder', () => {
  const limited = ['-c', 'ulimit -f 2; exec "$0" "$@"', process.execPath, program, 'full', '--contract'];
  const { status, stderr } = spawnSync('sh', limited, { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('EFBIG') });
  expect(readdirSync(join(folder, 'full'))).toEqual([]);
});

it('a folder whose name has spaces is named as a shell takes it', () => {
  expect(run(folder, [program, 'my joke'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('cd "my joke"\n'),
  });
});

it('an empty PORT is none, for the seller and for the buyer', () => {
  expect(run(folder, [program, 'without-port'])).toMatchObject({ status: 0 });
  const { stdout, stderr } = run(join(folder, 'without-port'), ['start.ts'], { PORT: '' });
  // Either it is sold there, or another program has the port.
  expect(stdout + stderr).toMatch(/4024\/joke\n200|EADDRINUSE.*:4024/);
});

it('a project made on a Node that is too old for it brings one of its own', async () => {
  const options = { name: 'shop', framework: 'express', contract: false, sourceOf: () => '^1.0.0' } as const;
  const manifest = (made: Partial<ProjectOptions>): unknown =>
    JSON.parse(projectFiles({ ...options, language: 'javascript', ownNode: false, ...made }).get('package.json') ?? '');
  const own = { devDependencies: { node: '^24.0.0' }, allowScripts: { node: true } };
  expect(manifest({ ownNode: true })).toMatchObject(own);
  expect(manifest({ ownNode: true })).not.toHaveProperty('engines');
  expect(manifest({ ownNode: true, language: 'typescript' })).toMatchObject(own);
  expect(manifest({})).toMatchObject({ engines: { node: '>=24' } });
  expect(manifest({})).not.toHaveProperty('devDependencies');
});

it('docs/how-to/be-paid-through-a-contract.md shows the files of a project with a contract, which create.ci.test.ts runs', () => {
  const page = 'docs/how-to/be-paid-through-a-contract.md';
  expect(run(folder, [program, 'till', '--contract'])).toMatchObject({ status: 0 });
  const made = (file: string) => readFileSync(join(folder, 'till', file), 'utf8');
  expect(fencedBlocks(page, 'teal')).toEqual([made('till.teal')]);
  expect(fencedBlocks(page, 'ts')).toEqual([made('till.ts'), made('joke.test.ts')]);
});

it('a contract is named when it is created, and by its number its owner takes out what it was paid, in another program', async () => {
  expect(run(folder, [program, 'kept', '--contract'])).toMatchObject({ status: 0 });
  const node = await startDevnode({ port: 0 });
  onTestFinished(() => node.stop());
  const { merchant: owner, payer } = node.accounts;
  const environment = { OWNER_MNEMONIC: owner.mnemonic, ALGOD_URL: node.url, ALGOD_TOKEN: node.token };
  const printed = async (args: readonly string[], APP_ID = ''): Promise<string> => {
    const env = { ...environment, APP_ID };
    return (await promisify(execFile)(process.execPath, args, { cwd: join(folder, 'kept'), env })).stdout;
  };
  const created = await printed(['till.ts']);
  const [, id, address = ''] = /^till (\d+) is paid at ([A-Z2-7]{58})\n$/.exec(created) ?? [];
  const usdc = (of: string) => node.balance(of).assets.get(10_458_941n) ?? 0n;
  const before = usdc(owner.address);
  const algod = createAlgodClient({ url: node.url, token: node.token });
  await sendFrom(algod, parseAccount(payer.privateKey), {
    type: 'axfer',
    receiver: address,
    assetId: 10_458_941n,
    amount: 5n,
  });
  const takesOut = "const till = await import('./till.ts'); await till.takeOut(5n)";
  expect(await printed(['--input-type=module', '-e', takesOut], id)).toBe(created);
  expect([usdc(address), usdc(owner.address)]).toEqual([0n, before + 5n]);
});
