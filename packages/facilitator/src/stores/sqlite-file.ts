import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { X402Error } from '@avm402/core/errors';
import { migrate } from './sqlite-schema.ts';

/** TxIDs are random, so that rows lie all over the file: with a small cache every settlement reads from it. */
const CACHE_KIBIBYTES = 32_768;
/** A checkpoint waits for the disk; with this many pages it comes once in about four hundred settlements. */
const CHECKPOINT_PAGES = 4000;
const OWNER_ONLY = 0o600;

/**
 * Opens the file, which only its owner can read, and brings its schema to the version that this program knows.
 * @throws X402Error `store_unavailable`, which says what is wrong with the file
 */
export function openDatabase({
  path,
  sync = 'normal',
}: {
  readonly path: string;
  readonly sync?: 'normal' | 'full';
}): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') keepPrivate(path);
    database = new DatabaseSync(path, { readBigInts: true });
    database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${sync};`);
    database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    migrate(database);
    return database;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = reason.includes('locked') ? ' (another process uses it; several processes need DATABASE_URL)' : '';
    throw new X402Error('store_unavailable', { message: `settlement store ${path}: ${reason}${hint}`, cause });
  }
}

/** Payments are nobody else's business. SQLite gives the log beside the file the file's own mode. */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) chmodSync(file, OWNER_ONLY);
  }
}
