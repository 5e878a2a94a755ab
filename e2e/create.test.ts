import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@avm402/stack/free-port';
import { afterAll, describe, expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const program = fileURLToPath(new URL('../packages/create-avm402/bin/create-avm402.js', import.meta.url));
// Inside this package, where the projects' dependencies are found.
const folder = mkdtempSync(join(here, 'created-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], cwd = folder, environment: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    timeout: 30_000,
    env: { PATH: process.env['PATH'], ...environment },
  });
  return { status, stdout, stderr };
}

describe.each([
  { language: 'TypeScript', options: [], extension: 'ts' },
  { language: 'JavaScript', options: ['--javascript'], extension: 'js' },
  { language: 'TypeScript, with Hono', options: ['--framework', 'hono'], extension: 'ts' },
])('a project in $language', ({ language, options, extension }) => {
  const project = join(folder, language);

  it('is made, sells and buys, and passes its test', async () => {
    expect(run([program, language, ...options])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('npm start'),
    });
    const port = String(await freePort(20_000 + (process.pid % 20_000)));
    const environment = { NODE_OPTIONS: '--conditions=@avm402/source', PORT: port };
    const started = run([`start.${extension}`], project, environment);
    expect(started).toMatchObject({ status: 0, stderr: '' });
    expect(started.stdout).toMatch(/200 \{ joke: 'to get to the other side' \} settled by [A-Z2-7]{52}/);
    expect(run(['--test'], project, environment)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('pass 1'),
    });
  });

  it('has sources of its language alone, and imports what it depends on', () => {
    const files = readdirSync(project);
    const other = extension === 'ts' ? '.js' : '.ts';
    expect(files.filter((file) => file.endsWith(other))).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const sources = files
      .filter((file) => file.endsWith(extension))
      .map((file) => readFileSync(join(project, file), 'utf8'));
    const imported = sources.flatMap((text) =>
      [...text.matchAll(/from '(?!node:)((?:@[a-z0-9]+\/)?[a-z0-9-]+)/g)].map(([, name]) => name),
    );
    expect(imported.length).toBeGreaterThan(5);
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...new Set(imported)]));
  });
});

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

it.each(['TypeScript', 'TypeScript, with Hono'])('a project in %s says that its port is taken', async (project) => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const environment = { NODE_OPTIONS: '--conditions=@avm402/source', PORT: String(port) };
  const { status, stdout, stderr } = run(['start.ts'], join(folder, project), environment);
  other.close();
  expect({ status, stdout, stderr }).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('EADDRINUSE'),
  });
});
