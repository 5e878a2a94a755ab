import { execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { keptFolder, postgresPrograms, type ServiceUser, serviceUser, until } from './postgres-programs.ts';
import { unusedPort } from './unused-port.ts';

/** A real PostgreSQL server of the tests' own. */
export interface PostgresServer {
  /** Returns the URL of an empty database: a new one, or one that was taken back. */
  createDatabase(): Promise<string>;
  /** Takes back all databases: whoever asks next gets one of them, emptied. To make one takes far longer. */
  takeBack(): void;
  /** Copies all databases as they are at one moment, while the server works, and starts a server on the copy. */
  copy(): Promise<PostgresCopy>;
  /** Starts a server on a folder that `pg_basebackup` made from this one; the folder then belongs to that server. */
  startOn(folder: string): Promise<PostgresCopy>;
  stop(): Promise<void>;
}

export interface PostgresCopy {
  /** The URL of a database's copy, by the URL of the original. */
  urlOf(database: string): string;
  stop(): Promise<void>;
}

/** Tests kill clients, not the database, so its writes need not reach the disk. */
const WITHOUT_DISK = ['-c', 'fsync=off'];
/** Empties a database, whoever is still connected to it. */
const EMPTY = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  DROP SCHEMA public CASCADE; CREATE SCHEMA public`;
const READY = 'database system is ready to accept connections';
/** PostgreSQL can't choose its port itself, and somebody else may take the one that is chosen for it. */
const PORTS_TRIED = 5;
const PORT_IN_USE = 'Address already in use';
/**
 * Becomes the server. What it leaves behind holds the standard input, which ends with the process that started it, also if
 * that one is killed; the server then ends, too. It has no child of its own, so the server gets none that it does not know.
 */
const ENDS_WITH_US = 'exec 3<&0; ( (cat <&3; kill -QUIT $$) >/dev/null 2>&1 & ); exec "$0" "$@" 3<&- </dev/null';

/**
 * Starts a server with these settings besides its defaults; it ends with this process at the latest. Rejects with its output
 * if it does not come up.
 */
export async function startPostgres(
  settings: readonly string[] = WITHOUT_DISK,
  nextPort: () => Promise<number> = unusedPort,
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-postgres-'));
  await chmod(folder, 0o755);
  try {
    const user = serviceUser();
    const programs = await postgresPrograms(folder, user);
    // The user may not be able to enter the folder in which the tests run.
    const options: SpawnOptions = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
    const place = { folder, programs, options, settings, nextPort, ...(user && { user }) };
    const data = await filledFolder(place);
    return running(await serve(data, place), data, place);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The folder, programs and settings of a server and its copies. */
interface Place {
  readonly folder: string;
  readonly programs: string;
  readonly options: SpawnOptions;
  readonly settings: readonly string[];
  readonly nextPort: () => Promise<number>;
  readonly user?: ServiceUser;
}

interface Serving {
  readonly url: string;
  stop(): Promise<void>;
}

async function dataFolder({ folder, user }: Place): Promise<string> {
  const data = await mkdtemp(join(folder, 'data-'));
  if (user) await chown(data, user.uid, user.gid);
  return data;
}

/** The data folder of a new server: a copy of the kept one, because initdb takes ten times as long. */
async function filledFolder(place: Place): Promise<string> {
  const { programs, options, user } = place;
  const data = await dataFolder(place);
  const kept = keptFolder();
  if (existsSync(kept)) {
    execFileSync('cp', ['-R', `${kept}/.`, data]);
    if (user) giveTo(user, data);
    return data;
  }
  const setUp = spawn(join(programs, 'initdb'), ['-D', data, '-U', 'avm402', '-A', 'trust', '-N'], options);
  await until(setUp, (code) => code === 0);
  const making = `${kept}-${process.pid}`;
  await cp(data, making, { recursive: true });
  // Another process may have been faster.
  await rename(making, kept).catch(() => rm(making, { recursive: true }));
  return data;
}

function giveTo({ uid, gid }: ServiceUser, folder: string): void {
  execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
}

async function serve(data: string, place: Place): Promise<Serving> {
  for (let tries = 1; ; tries++) {
    try {
      return await serveOn(await place.nextPort(), data, place);
    } catch (error) {
      if (tries === PORTS_TRIED || !(error instanceof Error && error.message.includes(PORT_IN_USE))) throw error;
    }
  }
}

async function serveOn(port: number, data: string, { programs, options, settings }: Place): Promise<Serving> {
  const args = ['-D', data, '-p', String(port), '-k', data, ...settings];
  const server = spawn('sh', ['-c', ENDS_WITH_US, join(programs, 'postgres'), ...args], options);
  await until(server, (_code, output) => output.includes(READY));
  return {
    url: `postgres://avm402@127.0.0.1:${port}`,
    stop: async () => {
      // Fast shutdown, which does not wait for clients.
      if (server.exitCode === null && server.kill('SIGINT')) await once(server, 'exit');
    },
  };
}

function running(serving: Serving, data: string, place: Place): PostgresServer {
  let databases = 0;
  const handedOut: string[] = [];
  const free: string[] = [];
  const startOn = async (folder: string): Promise<PostgresCopy> => {
    const copy = await serve(folder, place);
    return { urlOf: (database) => database.replace(serving.url, copy.url), stop: () => copy.stop() };
  };
  return {
    async createDatabase() {
      const used = free.pop();
      const name = used ?? `test_${databases++}`;
      handedOut.push(name);
      await using client = await connected(serving, used);
      await client.query(used === undefined ? `CREATE DATABASE ${name}` : EMPTY);
      return `${serving.url}/${name}`;
    },
    takeBack() {
      free.push(...handedOut.splice(0));
    },
    async copy() {
      return startOn(await copyOf(data, serving, place));
    },
    async startOn(folder) {
      if (place.user) giveTo(place.user, folder);
      return startOn(folder);
    },
    async stop() {
      await serving.stop();
      await rm(place.folder, { recursive: true, force: true });
    },
  };
}

/** Copies as `pg_basebackup` does: first the files, then the part of the log that was written meanwhile. */
async function copyOf(data: string, serving: Serving, place: Place): Promise<string> {
  const copy = await dataFolder(place);
  await using client = await connected(serving);
  await client.query(`SELECT pg_backup_start('copy', true)`);
  // Some files disappear while they are copied; the log makes up for that.
  await until(spawn('cp', ['-R', `${data}/.`, copy], place.options), (code) => code !== undefined);
  await rm(join(copy, 'postmaster.pid'));
  await rm(join(copy, 'pg_wal'), { recursive: true });
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  const label = join(copy, 'backup_label');
  await writeFile(label, rows[0]?.labelfile ?? '');
  if (place.user) await chown(label, place.user.uid, place.user.gid);
  await until(spawn('cp', ['-R', join(data, 'pg_wal'), copy], place.options), (code) => code === 0);
  return copy;
}

async function connected({ url }: Serving, database = 'postgres'): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: `${url}/${database}` });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
