import { chmodSync, existsSync, realpathSync } from 'node:fs';
import { sqlite } from './sqlite-module.ts';

/** A store's file is owned by this process until the lock is closed or the process dies. */
export interface FileLock {
  close(): void;
}

/**
 * Takes the file for this process by locking a file beside it, so that others can read the store meanwhile.
 * @throws SQLite's `database is locked` if another process has it
 */
export function lockFile(path: string, mode: number): FileLock {
  const place = `${existsSync(path) ? realpathSync(path) : path}-lock`;
  const lock = new (sqlite().DatabaseSync)(place);
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    chmodSync(place, mode);
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}
