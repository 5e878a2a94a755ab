import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { reasonOf, storeUnavailable } from '../reason.ts';
import { migrate } from './sqlite-schema.ts';
import { sqlite } from './sqlite-module.ts';

/** TxIDs are random, so rows lie all over the file: with a small cache every settlement would read from it. */
const CACHE_KIBIBYTES = 32_768;
/** A checkpoint waits for the disk; with this many pages one comes about every four hundred settlements. */
const CHECKPOINT_PAGES = 4000;
/** How long a write waits for another writer, though there should be none. */
const BUSY_MS = 2_000;
const OWNER_ONLY = 0o600;

/** A store's file, owned by this process until it is closed. */
export interface OpenedFile {
  readonly database: DatabaseSync;
  close(): void;
}

/**
 * Opens the file, which only its owner can read, and brings its schema to the version that this program knows. Other
 * processes can read it meanwhile.
 * @throws X402Error `store_unavailable`, which says what is wrong with the file
 */
export function openDatabase({
  path,
  sync = 'normal',
}: {
  readonly path: string;
  readonly sync?: 'normal' | 'full';
}): OpenedFile {
  const { DatabaseSync: Database } = sqlite();
  let lock: FileLock | undefined;
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') {
      keepPrivate(path);
      lock = lockFile(path);
    }
    database = new Database(path, { readBigInts: true });
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${sync};`);
    database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    migrate(database);
    return openedFile(database, lock);
  } catch (cause) {
    database?.close();
    lock?.close();
    const isHeld = reasonOf(cause).includes('locked');
    const hint = isHeld ? ' (another process uses it; several processes need DATABASE_URL)' : '';
    throw storeUnavailable(`settlement store ${path}${hint}`, cause);
  }
}

function openedFile(database: DatabaseSync, lock: FileLock | undefined): OpenedFile {
  return {
    database,
    close: () => {
      database.close();
      lock?.close();
    },
  };
}

/**
 * Makes the file if it is not there. One that is there stays unopened: closing a file drops the locks that this process
 * has on it (POSIX). Payments are private. SQLite gives the log beside the file the file's own mode.
 */
function keepPrivate(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) closeSync(openSync(path, 'a', OWNER_ONLY));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) chmodSync(file, OWNER_ONLY);
  }
}

/** A store's file is owned by this process until the lock is closed or the process dies. */
interface FileLock {
  close(): void;
}

/**
 * Takes the file for this process by locking a file beside it, so that others can read the store meanwhile. Where the
 * path is a link, that is beside the file itself, so that every path to it has the same lock.
 * @throws SQLite's `database is locked` if another process has it
 */
function lockFile(path: string): FileLock {
  const place = `${realpathSync(path)}-lock`;
  const lock = new (sqlite().DatabaseSync)(place);
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    chmodSync(place, OWNER_ONLY);
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}
