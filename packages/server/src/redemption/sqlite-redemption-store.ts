import { chmodSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { X402Error } from '@avm402/core/errors';
import type { Redemption, StoredResponse } from './redemption.ts';
import type { PutOutcome, RedemptionStore } from './redemption-store.ts';

export interface SqliteRedemptionStoreOptions {
  /** File, created if need be; several processes on one machine may share it. `:memory:` for none. */
  readonly path: string;
  /** Milliseconds that finished rows are kept after their last change. Default 24 hours. */
  readonly retentionMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A redemption store in one file. A commit survives the death of the process, not that of the machine. */
export interface SqliteRedemptionStore extends RedemptionStore {
  close(): void;
}

const SCHEMA_VERSION = 1;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS redemptions (
    tx_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    payment_id TEXT UNIQUE,
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    kept_until INTEGER,
    document TEXT NOT NULL,
    body BLOB
  ) STRICT;
  CREATE INDEX IF NOT EXISTS old_redemptions ON redemptions (updated_at);
  CREATE INDEX IF NOT EXISTS old_responses ON redemptions (kept_until) WHERE kept_until IS NOT NULL;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const DAY_MS = 24 * 60 * 60 * 1000;
const PRUNE_EVERY_MS = 60_000;
const PRUNE_ROWS = 1_000;
/** Time that a statement waits for another process. */
const BUSY_MS = 5_000;
const RETRY_MS = 10;
/** Readable and writable by the owner alone. */
const PRIVATE = 0o600;
/** SQLite's SQLITE_BUSY. */
const BUSY = 5;
/** SQLite's SQLITE_CONSTRAINT_UNIQUE: another row has the payment id. */
const CONSTRAINT_UNIQUE = 2067;

/**
 * Opens the store. node:sqlite is loaded only now: the rest of this package runs on Node 20, which has none.
 * @throws X402Error `store_unavailable` on a Node without it, or if the file can't be used
 */
export function sqliteRedemptionStore(options: SqliteRedemptionStoreOptions): SqliteRedemptionStore {
  return new SqliteStore(openDatabase(options.path), options);
}

/** Each method is one statement, hence atomic, also between processes. */
class SqliteStore implements SqliteRedemptionStore {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #retentionMs: number;
  readonly #select: StatementSync;
  readonly #selectByPaymentId: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  #nextPrune = 0;

  constructor(database: DatabaseSync, { now = Date.now, retentionMs = DAY_MS }: SqliteRedemptionStoreOptions) {
    this.#database = database;
    this.#now = now;
    this.#retentionMs = retentionMs;
    this.#select = database.prepare('SELECT document, body FROM redemptions WHERE tx_id = ?');
    this.#selectByPaymentId = database.prepare('SELECT document, body FROM redemptions WHERE payment_id = ?');
    this.#insert = database.prepare(
      `INSERT INTO redemptions (payment_id, state, updated_at, kept_until, document, body, version, tx_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tx_id) DO NOTHING`,
    );
    this.#update = database.prepare(
      `UPDATE redemptions SET payment_id = ?, state = ?, updated_at = ?, kept_until = ?, document = ?, body = ?,
       version = version + 1 WHERE version + 1 = ? AND tx_id = ?`,
    );
  }

  async get(txId: string): Promise<Redemption | undefined> {
    return redemptionOf(this.#select.get(txId));
  }

  async getByPaymentId(paymentId: string): Promise<Redemption | undefined> {
    return redemptionOf(this.#selectByPaymentId.get(paymentId));
  }

  async put(next: Redemption): Promise<PutOutcome> {
    this.#prune();
    const { response, ...rest } = next;
    const { body, ...head } = response ?? {};
    const document = JSON.stringify(response === undefined ? rest : { ...rest, response: head });
    const statement = next.version === 1 ? this.#insert : this.#update;
    try {
      const { changes } = statement.run(
        next.paymentId ?? null,
        next.state,
        next.updatedAt,
        response?.keptUntil ?? null,
        document,
        body ?? null,
        next.version,
        next.txId,
      );
      return changes === 1 ? 'stored' : 'outdated';
    } catch (error) {
      if (isUniqueConflict(error)) return 'payment_id_taken';
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** Finished rows go after their time. Those whose settlement is open stay until somebody has found out. */
  #prune(): void {
    const now = this.#now();
    if (now < this.#nextPrune) return;
    const { changes } = this.#database
      .prepare(
        `DELETE FROM redemptions WHERE tx_id IN
         (SELECT tx_id FROM redemptions WHERE updated_at < ? AND state <> 'sending' LIMIT ${PRUNE_ROWS})`,
      )
      .run(now - this.#retentionMs);
    // What is left of more than one batch goes with the next writes, lest a busy store grow faster than it is pruned.
    this.#nextPrune = changes < PRUNE_ROWS ? now + PRUNE_EVERY_MS : now;
    this.#database.prepare('UPDATE redemptions SET body = NULL, kept_until = NULL WHERE kept_until < ?').run(now);
  }
}

function openDatabase(path: string): DatabaseSync {
  const sqlite = process.getBuiltinModule?.('node:sqlite');
  if (sqlite === undefined) {
    throw new X402Error('store_unavailable', {
      message: `the SQLite store needs node:sqlite, which Node ${process.versions.node} does not have; use Node 24`,
    });
  }
  try {
    if (path !== ':memory:') keepPrivate(path);
    const database = new sqlite.DatabaseSync(path, { timeout: BUSY_MS });
    useWriteAheadLog(database);
    database.exec('PRAGMA synchronous = NORMAL');
    createTables(database);
    return database;
  } catch (cause) {
    throw new X402Error('store_unavailable', { message: `the file ${path} can't be used as redemption store`, cause });
  }
}

/**
 * Rows hold what buyers paid for: they are nobody else's to read. SQLite gives the files beside the database its mode;
 * those that are there already get it now.
 */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE));
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    try {
      chmodSync(`${path}${suffix}`, PRIVATE);
    } catch (error) {
      const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isAbsent) throw error;
    }
  }
}

/** SQLite does not wait where two connections change the journal's mode at once: one of them is told to try again. */
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

/** The version is read and the tables are made under one lock: another process may be doing the same. */
function createTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  const version = Object.values(database.prepare('PRAGMA user_version').get() ?? {})[0];
  if (version !== 0 && version !== SCHEMA_VERSION) {
    throw new X402Error('store_unavailable', { message: `it is not of schema version ${SCHEMA_VERSION}` });
  }
  database.exec(`${SCHEMA} COMMIT`);
}

/** A row as it was put; a response whose body was dropped is gone. */
function redemptionOf(row: unknown): Redemption | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const { document, body } = Object.fromEntries(Object.entries(row));
  const { response, ...rest } = JSON.parse(String(document)) as Redemption & {
    response?: Omit<StoredResponse, 'body'>;
  };
  return response !== undefined && body instanceof Uint8Array ? { ...rest, response: { ...response, body } } : rest;
}

function isUniqueConflict(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === CONSTRAINT_UNIQUE;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
