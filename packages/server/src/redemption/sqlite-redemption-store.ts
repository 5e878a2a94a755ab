import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DAY_MS } from '@avm402/core/durations';
import { openSqlite } from '../sqlite-database.ts';
import type { Redemption } from './redemption.ts';
import { encodeRedemption, type RedemptionDocument, redemptionOf } from './redemption-document.ts';
import { MAX_REFUSED_PER_PAYER, type PutOutcome, type RedemptionStore } from './redemption-store.ts';

export interface SqliteRedemptionStoreOptions {
  /** File, created if need be; several processes on one machine may share it. `:memory:` for none. */
  readonly path: string;
  /** Milliseconds that finished rows are kept after their last change. Default 24 hours. */
  readonly retentionMs?: number;
  /** Rows kept; the oldest finished ones go first. Default 1,000,000. */
  readonly maxRows?: number;
  /** Bytes of kept responses; the oldest go first, their receipts stay. Default 1 GiB. */
  readonly maxResponseBytes?: number;
  /** Bytes of kept responses of one payer. Default 16 MiB. */
  readonly maxResponseBytesPerPayer?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A redemption store in one file. A commit survives the death of the process, not that of the machine. */
export interface SqliteRedemptionStore extends RedemptionStore {
  close(): void;
}

const SCHEMA_VERSION = 2;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS redemptions (
    tx_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    payment_id TEXT UNIQUE,
    payer TEXT NOT NULL,
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    kept_until INTEGER,
    document TEXT NOT NULL,
    body BLOB
  ) STRICT;
  CREATE INDEX IF NOT EXISTS old_redemptions ON redemptions (updated_at);
  CREATE INDEX IF NOT EXISTS old_responses ON redemptions (kept_until) WHERE kept_until IS NOT NULL;
  CREATE INDEX IF NOT EXISTS responses_of_payer ON redemptions (payer, kept_until) WHERE kept_until IS NOT NULL;
  CREATE INDEX IF NOT EXISTS refused_of_payer ON redemptions (payer, updated_at) WHERE state = 'released';
`;

const PRUNE_EVERY_MS = 60_000;
const PRUNE_ROWS = 1_000;

/** Drops bodies beyond a number of bytes, the newest stay; `WHO` says whose. */
const DROP_BODIES = `
  UPDATE redemptions SET body = NULL, kept_until = NULL WHERE tx_id IN (
    SELECT tx_id FROM (
      SELECT tx_id, sum(length(body)) OVER (ORDER BY kept_until DESC, updated_at DESC, tx_id) AS bytes, row_number()
        OVER (ORDER BY kept_until DESC, updated_at DESC, tx_id) AS place
      FROM redemptions WHERE kept_until IS NOT NULL AND WHO
    ) WHERE bytes > ? AND place > 1
  )`;
/** SQLite's SQLITE_CONSTRAINT_UNIQUE: another row has the payment id. */
const CONSTRAINT_UNIQUE = 2067;

/**
 * Opens the store.
 * @throws X402Error `store_unavailable` on a Node without it, or if the file can't be used
 */
export function createSqliteRedemptionStore({
  path,
  retentionMs = DAY_MS,
  maxRows = 1_000_000,
  maxResponseBytes = 1024 * 1024 * 1024,
  maxResponseBytesPerPayer = 16 * 1024 * 1024,
  now = Date.now,
}: SqliteRedemptionStoreOptions): SqliteRedemptionStore {
  const options = { retentionMs, maxRows, maxResponseBytes, maxResponseBytesPerPayer, now };
  const purpose = 'redemption store';
  const database = openSqlite({ path, purpose, schema: SCHEMA, version: SCHEMA_VERSION, synchronous: 'NORMAL' });
  return new SqliteStore(database, options);
}

/** Each method is one statement, and so atomic, also between processes; what it displaces goes afterwards. */
class SqliteStore implements SqliteRedemptionStore {
  readonly #database: DatabaseSync;
  readonly #options: Required<Omit<SqliteRedemptionStoreOptions, 'path'>>;
  readonly #select: StatementSync;
  readonly #selectByPaymentId: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #dropRefused: StatementSync;
  readonly #dropBodiesOfPayer: StatementSync;
  #nextPrune = 0;
  /** Bytes of responses that were kept since the last pruning. */
  #keptBytes = 0;

  constructor(database: DatabaseSync, options: Required<Omit<SqliteRedemptionStoreOptions, 'path'>>) {
    this.#database = database;
    this.#options = options;
    this.#select = database.prepare('SELECT document, body FROM redemptions WHERE tx_id = ?');
    this.#selectByPaymentId = database.prepare('SELECT document, body FROM redemptions WHERE payment_id = ?');
    this.#insert = database.prepare(
      `INSERT INTO redemptions (payment_id, payer, state, updated_at, kept_until, document, body, version, tx_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tx_id) DO NOTHING`,
    );
    this.#update = database.prepare(
      `UPDATE redemptions SET payment_id = ?, payer = ?, state = ?, updated_at = ?, kept_until = ?, document = ?,
       body = ?, version = ? WHERE tx_id = ? AND version = ?`,
    );
    this.#delete = database.prepare('DELETE FROM redemptions WHERE tx_id = ? AND version = ?');
    this.#dropRefused = database.prepare(
      `DELETE FROM redemptions WHERE tx_id IN (SELECT tx_id FROM redemptions WHERE payer = ? AND state = 'released'
       ORDER BY updated_at DESC LIMIT -1 OFFSET ${MAX_REFUSED_PER_PAYER})`,
    );
    this.#dropBodiesOfPayer = database.prepare(DROP_BODIES.replace('WHO', 'payer = ?'));
  }

  async get(txId: string): Promise<Redemption | undefined> {
    return storedRedemption(this.#select.get(txId));
  }

  async getByPaymentId(paymentId: string): Promise<Redemption | undefined> {
    return storedRedemption(this.#selectByPaymentId.get(paymentId));
  }

  async put(next: Redemption, previous?: Redemption): Promise<PutOutcome> {
    this.#prune();
    const { paymentId = null, payer, state, updatedAt, version, txId, response } = next;
    const { document, body } = encodeRedemption(next);
    const row = [paymentId, payer, state, updatedAt, response?.keptUntil ?? null, document, body, version, txId];
    try {
      const { changes } =
        previous === undefined ? this.#insert.run(...row) : this.#update.run(...row, previous.version);
      if (changes !== 1) return 'outdated';
    } catch (error) {
      if (isUniqueConflict(error)) return 'payment_id_taken';
      throw error;
    }
    this.#bound(next);
    return 'stored';
  }

  async remove({ txId, version }: Redemption): Promise<boolean> {
    return this.#delete.run(txId, version).changes === 1;
  }

  close(): void {
    this.#database.close();
  }

  /** Drops what a row displaces of its payer's; what it displaces in total goes when it is pruned. */
  #bound({ payer, state, response }: Redemption): void {
    if (state === 'released') this.#dropRefused.run(payer);
    if (response === undefined) return;
    const { maxResponseBytes, maxResponseBytesPerPayer } = this.#options;
    this.#dropBodiesOfPayer.run(payer, maxResponseBytesPerPayer);
    this.#keptBytes += response.body.length;
    if (this.#keptBytes > maxResponseBytes / 16) this.#dropBodies();
  }

  #dropBodies(): void {
    this.#database.prepare(DROP_BODIES.replace('WHO', 'true')).run(this.#options.maxResponseBytes);
    this.#keptBytes = 0;
  }

  /** Finished rows go after their time. Those whose settlement is open stay until somebody has found out. */
  #prune(): void {
    const { now: clock, retentionMs, maxRows } = this.#options;
    const now = clock();
    if (now < this.#nextPrune) return;
    const tooOld = `updated_at < ? AND state <> 'sending' LIMIT ${PRUNE_ROWS}`;
    const tooMany = `state IN ('settled', 'released') ORDER BY updated_at
      LIMIT (SELECT max(0, min(${PRUNE_ROWS}, count(*) - ?)) FROM redemptions)`;
    const changes = this.#deleteRows(tooOld, now - retentionMs) + this.#deleteRows(tooMany, maxRows);
    // What is left of more than one batch goes with the next writes, or a busy store would grow faster than it is pruned.
    this.#nextPrune = changes < PRUNE_ROWS ? now + PRUNE_EVERY_MS : now;
    this.#database.prepare('UPDATE redemptions SET body = NULL, kept_until = NULL WHERE kept_until < ?').run(now);
    this.#dropBodies();
  }

  #deleteRows(which: string, parameter: number): number {
    const select = `SELECT tx_id FROM redemptions WHERE ${which}`;
    const { changes } = this.#database.prepare(`DELETE FROM redemptions WHERE tx_id IN (${select})`).run(parameter);
    return Number(changes);
  }
}

function storedRedemption(row: unknown): Redemption | undefined {
  // The columns are those of the schema above.
  return row === undefined ? undefined : redemptionOf(row as RedemptionDocument);
}

function isUniqueConflict(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === CONSTRAINT_UNIQUE;
}
