import { closeSync, openSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { storeUnavailable } from '../reason.ts';
import { sqlite } from './sqlite-module.ts';

const OWNER_ONLY = 0o600;

/**
 * Copies a SQLite settlement store, as it is at one moment, to a file that must not exist yet. A facilitator may go on
 * working on the store: nothing waits for the copy.
 * @throws X402Error `store_unavailable`, which says what is wrong with either file
 */
export function backupSqliteStore(path: string, target: string): void {
  let database: DatabaseSync | undefined;
  try {
    database = new (sqlite().DatabaseSync)(path, { readOnly: true });
    closeSync(openSync(target, 'wx', OWNER_ONLY));
    copyInto(database, target);
  } catch (cause) {
    throw storeUnavailable(`backup of ${path} to ${target}`, cause);
  } finally {
    database?.close();
  }
}

function copyInto(database: DatabaseSync, target: string): void {
  try {
    database.prepare('VACUUM INTO ?').run(target);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}
