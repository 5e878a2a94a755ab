import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@avm402/stack/free-port';
import { afterAll, expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
export const program = fileURLToPath(new URL('../../packages/create-avm402/bin/create-avm402.js', import.meta.url));

/** Makes a folder for projects, which goes after the file's last test. */
export function projectFolder(): string {
  // Inside this package, where the projects' dependencies are found.
  const folder = mkdtempSync(join(here, 'written-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs a program of Node's in a folder. */
export function run(cwd: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    timeout: 30_000,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '', ...environment },
  });
  return { status, stdout, stderr };
}

export interface ProjectKind {
  readonly language: string;
  readonly options: readonly string[];
  readonly extension: 'ts' | 'js';
}

/** What holds for a project of each kind, made in this folder. */
export function aProjectWorks(folder: string, { language, options, extension }: ProjectKind): void {
  const project = join(folder, language);

  it('is made, sells and buys, and passes its test', async () => {
    expect(run(folder, [program, language, ...options])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('npm start'),
    });
    const port = String(await freePort(20_000 + (process.pid % 12_000)));
    // A contract of another chain is not taken for one of the project's.
    const environment = { PORT: port, APP_ID: '7' };
    const started = run(project, [`start.${extension}`], environment);
    expect(started).toMatchObject({ status: 0, stderr: '' });
    expect(started.stdout).toMatch(/200 \{ joke: 'to get to the other side' \} settled by [A-Z2-7]{52}/);
    // The test listens at any free port, whatever the seller's is.
    expect(run(project, ['--test'], { ...environment, PORT: '1' })).toMatchObject({
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

  it('says that its port is taken', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const environment = { PORT: String(port) };
    const { status, stdout, stderr } = run(project, [`start.${extension}`], environment);
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: expect.not.stringContaining('selling'),
      stderr: expect.stringMatching(/^listen EADDRINUSE: .*; PORT chooses another\n$/),
    });
    other.close();
  });
}
