import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { X402Error } from '@avm402/core/errors';

export interface SqliteFile {
  /** The file; it is created if needed, and several processes on one machine may share it. `:memory:` for none. */
  readonly path: string;
  /** The file's purpose, for messages. */
  readonly purpose: string;
  /** Statements that make the tables and indexes that don't exist yet. */
  readonly schema: string;
  /** Columns that files of earlier versions lack, added after `schema`: each as table, name and type. */
  readonly columns?: readonly (readonly [table: string, column: string, type: string])[];
  /** Statements that need those columns. */
  readonly indexes?: string;
  readonly version: number;
  /** `NORMAL`: a commit survives the death of the process. `FULL`: also that of the machine. */
  readonly synchronous: 'NORMAL' | 'FULL';
}

/** Time that a statement waits for another process. */
const BUSY_MS = 5_000;
const RETRY_MS = 10;
/** Readable and writable by the owner alone. */
const PRIVATE = 0o600;
/** SQLite's SQLITE_BUSY. */
const BUSY = 5;

/**
 * Opens a database file. node:sqlite is loaded only here, because the rest of this package runs on Node 20, which lacks
 * it.
 * @throws X402Error `store_unavailable` on a Node without node:sqlite, or if the file can't be used
 */
export function openSqlite(file: SqliteFile): DatabaseSync {
  const { path, purpose } = file;
  const sqlite = process.getBuiltinModule?.('node:sqlite');
  if (sqlite === undefined) {
    throw new X402Error('store_unavailable', {
      message: `the SQLite store needs node:sqlite, which Node ${process.versions.node} does not have; use Node 24`,
    });
  }
  try {
    if (path !== ':memory:') keepPrivate(path);
    return prepared(new sqlite.DatabaseSync(path, { timeout: BUSY_MS }), file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('store_unavailable', {
      message: `the file ${path} can't be used as ${purpose}: ${why}`,
      cause,
    });
  }
}

/** A database that is refused is closed: those whose it is must not find it locked. */
function prepared(database: DatabaseSync, file: SqliteFile): DatabaseSync {
  try {
    useWriteAheadLog(database);
    database.exec(`PRAGMA synchronous = ${file.synchronous}`);
    createTables(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Rows hold what buyers paid for, so nobody else may read them. SQLite gives the files beside the database its mode;
 * those that exist already get it now, unopened: closing a file drops the locks that this process has on it (POSIX).
 */
function keepPrivate(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) closeSync(openSync(path, 'a', PRIVATE));
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    try {
      chmodSync(`${path}${suffix}`, PRIVATE);
    } catch (error) {
      const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isAbsent) throw error;
    }
  }
}

/** SQLite does not wait if two connections change the journal's mode at once: one of them is told to try again. */
function useWriteAheadLog(database: DatabaseSync): void {
  const deadline = performance.now() + BUSY_MS;
  for (;;) {
    try {
      return database.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Reads the version and makes the tables under one lock, because another process may be doing the same. */
function createTables(database: DatabaseSync, { schema, columns = [], indexes = '', version }: SqliteFile): void {
  database.exec('BEGIN IMMEDIATE');
  const found = Object.values(database.prepare('PRAGMA user_version').get() ?? {})[0];
  if (found !== 0 && found !== version) {
    throw new X402Error('store_unavailable', { message: `its schema version is not ${version}` });
  }
  database.exec(schema);
  for (const [table, column, type] of columns) {
    const isThere = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column);
    if (isThere === undefined) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }
  database.exec(`${indexes} PRAGMA user_version = ${version}; COMMIT`);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
