import { open as openFile } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { X402Error, type X402ErrorCode } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { NewSettlement, Settlement } from '../settlement.ts';
import {
  type RecordOptions,
  type RecordOutcome,
  SAFETY_ROUNDS,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement-store.ts';
import { EarlySync } from './early-sync.ts';
import { columnsOf, type SettlementRow, settlementOfRow } from './settlement-row.ts';

export interface SqliteSettlementStoreOptions {
  /** File, or `:memory:`. */
  readonly path: string;
  /**
   * `normal` (default): a commit survives the death of the process. `full`: also that of the machine, for some
   * milliseconds a commit.
   */
  readonly sync?: 'normal' | 'full';
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A settlement store in one file. It belongs to one process at a time; a second one that opens it is refused. */
export function sqliteSettlementStore(options: SqliteSettlementStoreOptions): SettlementStore {
  return new SqliteSettlementStore(options);
}

// With a rowid: in the tree of a table without one a row of over a kilobyte spills to a page of its own, which every step
// writes again.
const SCHEMA = `
  CREATE TABLE settlements (
    tx_id TEXT PRIMARY KEY,
    network TEXT NOT NULL,
    state TEXT NOT NULL,
    round INTEGER NOT NULL,
    first_valid INTEGER NOT NULL,
    last_valid INTEGER NOT NULL,
    payer TEXT NOT NULL,
    signer TEXT NOT NULL,
    fee_payer TEXT,
    pay_to TEXT NOT NULL,
    asset TEXT NOT NULL,
    amount TEXT NOT NULL,
    budgeted_fee INTEGER NOT NULL,
    key_hash TEXT,
    requirements_digest TEXT NOT NULL,
    group_bytes BLOB,
    reason TEXT,
    confirmed_round INTEGER,
    delivered INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    owner TEXT NOT NULL,
    leased_until INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX unfinished_settlements ON settlements (state) WHERE state IN ('recorded', 'submitted', 'rejected');
  CREATE INDEX budgeted_settlements ON settlements (recorded_at) WHERE budgeted_fee > 0;
  CREATE INDEX old_settlements ON settlements (recorded_at);
  CREATE TABLE store (id TEXT NOT NULL) STRICT;
  INSERT INTO store (id) VALUES (lower(hex(randomblob(16))));
  CREATE TABLE rounds (network TEXT PRIMARY KEY, round INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

// By a column that never changes, under a condition that only the outcome ends: no other step writes to it.
const UNFINISHED_BY_GROUP = `
  DROP INDEX unfinished_settlements;
  CREATE INDEX unfinished_settlements ON settlements (recorded_at) WHERE group_bytes IS NOT NULL;
`;

/** What makes each version of the schema from the one before; one that was published is never changed. */
const MIGRATIONS = [SCHEMA, UNFINISHED_BY_GROUP];

/** A row has its group until its outcome is final. */
const UNFINISHED = 'group_bytes IS NOT NULL';

/** No method waits between its statements, and one connection has the file to itself: nothing comes between them. */
class SqliteSettlementStore implements SettlementStore {
  readonly #options: SqliteSettlementStoreOptions;
  readonly #now: () => number;
  readonly #statements = new Map<string, StatementSync>();
  /** What the table of rounds holds, as far as it is known: nobody else writes to it. */
  readonly #rounds = new Map<Network, bigint>();
  #insertion: string | undefined;
  #earlySync: EarlySync | undefined;
  #database: DatabaseSync | undefined;

  constructor(options: SqliteSettlementStoreOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async open(): Promise<void> {
    if (this.#database !== undefined) return;
    this.#database = openDatabase(this.#options);
    // The file has one process at a time, so whoever worked on these rows is dead.
    this.#run(`UPDATE settlements SET leased_until = 0 WHERE ${UNFINISHED}`, []);
    this.#earlySync = await earlySyncOf(this.#options);
  }

  async id(): Promise<string> {
    return String(this.#opened.prepare('SELECT id FROM store').get()?.['id']);
  }

  async record(settlement: NewSettlement, { owner, leaseMs, budget }: RecordOptions): Promise<RecordOutcome> {
    if (budget !== undefined && settlement.budgetedFee > 0n) {
      const existing = this.#find(settlement.txId);
      if (existing !== undefined) return { outcome: 'exists', settlement: existing };
      const spent = this.#spent(settlement.network, budget.since);
      if (spent + settlement.budgetedFee > budget.microAlgos) return { outcome: 'over_budget' };
    }
    const round = this.#raise(settlement.network, settlement.round);
    const now = this.#now();
    const columns = {
      ...columnsOf(settlement),
      round,
      state: 'recorded',
      delivered: 0,
      recorded_at: now,
      owner,
      leased_until: now + leaseMs,
    };
    if (!this.#insert(columns)) return this.#existing(settlement);
    const row: Settlement = { ...settlement, round, state: 'recorded', delivered: false, recordedAt: now, owner };
    return { outcome: 'recorded', settlement: row };
  }

  async find(txId: string): Promise<Settlement | undefined> {
    return this.#find(txId);
  }

  async submit(txId: string, owner: string): Promise<boolean> {
    return this.#changed(
      `UPDATE settlements SET state = 'submitted' WHERE tx_id = ? AND owner = ? AND state = 'recorded'`,
      [txId, owner],
    );
  }

  async reject(txId: string, owner: string, reason: X402ErrorCode): Promise<boolean> {
    return this.#changed(
      `UPDATE settlements SET state = 'rejected', reason = ? WHERE tx_id = ? AND owner = ? AND state = 'submitted'`,
      [reason, txId, owner],
    );
  }

  async confirm(txId: string, owner: string, confirmedRound: bigint): Promise<boolean> {
    return this.#changed(
      `UPDATE settlements SET state = 'confirmed', confirmed_round = ?, group_bytes = NULL
       WHERE tx_id = ? AND owner = ? AND state IN ('submitted', 'rejected')`,
      [confirmedRound, txId, owner],
    );
  }

  async expire(txId: string, owner: string): Promise<boolean> {
    return this.#changed(
      `UPDATE settlements SET state = 'expired', group_bytes = NULL
       WHERE tx_id = ? AND owner = ? AND state IN ('submitted', 'rejected')`,
      [txId, owner],
    );
  }

  async release(txId: string, owner: string): Promise<boolean> {
    return this.#changed(`DELETE FROM settlements WHERE tx_id = ? AND owner = ? AND ${UNFINISHED}`, [txId, owner]);
  }

  async deliver(txId: string): Promise<boolean> {
    return this.#changed(
      `UPDATE settlements SET delivered = 1 WHERE tx_id = ? AND state = 'confirmed' AND delivered = 0`,
      [txId],
    );
  }

  async takeOver({ owner, leaseMs, networks }: TakeOverOptions): Promise<Settlement[]> {
    const now = this.#now();
    const places = networks.map(() => '?').join(', ');
    return this.#rows(
      `UPDATE settlements SET owner = ?, leased_until = ?
       WHERE ${UNFINISHED} AND (owner = ? OR leased_until <= ?) AND network IN (${places}) RETURNING *`,
      [owner, now + leaseMs, owner, now, ...networks],
    ).map(settlementOfRow);
  }

  async budgetSpent(network: Network, since: number): Promise<bigint> {
    return this.#spent(network, since);
  }

  async raiseRound(network: Network, round: bigint): Promise<void> {
    this.#raise(network, round);
  }

  async lowerRound(network: Network, round: bigint): Promise<void> {
    this.#rounds.delete(network);
    this.#transaction(() => {
      this.#changed(`UPDATE rounds SET round = ? WHERE network = ? AND round > ?`, [round, network, round]);
      this.#changed(`UPDATE settlements SET round = ? WHERE network = ? AND round > ? AND ${UNFINISHED}`, [
        round,
        network,
        round,
      ]);
    });
  }

  async prune({ before, limit }: { readonly before: number; readonly limit: number }): Promise<number> {
    return this.#run(
      `DELETE FROM settlements WHERE tx_id IN (
         SELECT tx_id FROM settlements JOIN rounds USING (network)
         WHERE state IN ('confirmed', 'expired') AND recorded_at < ? AND leased_until < ?
           AND last_valid + ${SAFETY_ROUNDS} < rounds.round
         LIMIT ?)`,
      [before, before, limit],
    );
  }

  async close(): Promise<void> {
    const database = this.#database;
    const earlySync = this.#earlySync;
    this.#database = undefined;
    this.#earlySync = undefined;
    this.#statements.clear();
    this.#rounds.clear();
    // Some systems do not delete a file that is open, and the database deletes its log.
    await earlySync?.close();
    database?.close();
  }

  /** False if there is a row for this TxID. All rows have the same columns, in the same order. */
  #insert(columns: Readonly<Record<string, SQLInputValue>>): boolean {
    this.#insertion ??= insertionOf(Object.keys(columns));
    return this.#changed(this.#insertion, Object.values(columns));
  }

  #existing({ txId }: NewSettlement): RecordOutcome {
    const settlement = this.#find(txId);
    if (settlement === undefined) throw new TypeError('a row was neither written nor there before');
    return { outcome: 'exists', settlement };
  }

  #find(txId: string): Settlement | undefined {
    const [row] = this.#rows('SELECT * FROM settlements WHERE tx_id = ?', [txId]);
    return row && settlementOfRow(row);
  }

  #spent(network: Network, since: number): bigint {
    const row = this.#statement(
      `SELECT COALESCE(SUM(budgeted_fee), 0) AS spent FROM settlements
       WHERE budgeted_fee > 0 AND recorded_at >= ? AND network = ? AND state <> 'expired'`,
    ).get(since, network);
    return BigInt(row?.['spent']?.toString() ?? 0);
  }

  /** Returns the highest round. */
  #raise(network: Network, round: bigint): bigint {
    const known = this.#rounds.get(network);
    if (known !== undefined && known >= round) return known;
    const row = this.#statement(
      `INSERT INTO rounds (network, round) VALUES (?, ?)
       ON CONFLICT (network) DO UPDATE SET round = MAX(round, excluded.round) RETURNING round`,
    ).get(network, round);
    const highest = BigInt(row?.['round']?.toString() ?? round);
    this.#rounds.set(network, highest);
    return highest;
  }

  #changed(sql: string, values: readonly SQLInputValue[]): boolean {
    return this.#run(sql, values) > 0;
  }

  #run(sql: string, values: readonly SQLInputValue[]): number {
    const { changes } = this.#statement(sql).run(...values);
    this.#earlySync?.wrote();
    return Number(changes);
  }

  #rows(sql: string, values: readonly SQLInputValue[]): SettlementRow[] {
    // The columns are those of the schema above.
    return this.#statement(sql).all(...values) as unknown as SettlementRow[];
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#opened.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #transaction<T>(work: () => T): T {
    this.#run('BEGIN IMMEDIATE', []);
    try {
      const result = work();
      this.#run('COMMIT', []);
      return result;
    } catch (error) {
      this.#run('ROLLBACK', []);
      throw error;
    }
  }

  get #opened(): DatabaseSync {
    if (this.#database === undefined) throw new X402Error('store_unavailable', { message: 'the store is not open' });
    return this.#database;
  }
}

function insertionOf(columns: readonly string[]): string {
  const places = columns.map(() => '?').join(', ');
  return `INSERT INTO settlements (${columns.join(', ')}) VALUES (${places}) ON CONFLICT (tx_id) DO NOTHING`;
}

/** TxIDs are random, so that rows lie all over the file: with a small cache every settlement reads from it. */
const CACHE_KIBIBYTES = 32_768;
/** A checkpoint waits for the disk; with this many pages it comes once in about four hundred settlements. */
const CHECKPOINT_PAGES = 4000;

/** Throws X402Error `store_unavailable`, which says what is wrong with the file. */
function openDatabase({ path, sync = 'normal' }: SqliteSettlementStoreOptions): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
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

/**
 * Of the write-ahead log: a checkpoint waits until all of it is on the disk, and every payment waits for the checkpoint.
 * With `full` every commit waits anyway.
 */
async function earlySyncOf({ path, sync = 'normal' }: SqliteSettlementStoreOptions): Promise<EarlySync | undefined> {
  if (sync === 'full' || path === ':memory:') return undefined;
  return new EarlySync(await openFile(`${path}-wal`, 'r+'));
}

function migrate(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > MIGRATIONS.length)
    throw new TypeError(`it has schema ${version}, this program knows ${MIGRATIONS.length}`);
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  database.exec('COMMIT');
}
