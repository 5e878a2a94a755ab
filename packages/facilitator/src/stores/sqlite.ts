import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import { isFinal, type NewSettlement, type Settlement, type Transition, TRANSITIONS } from '../settlement.ts';
import {
  type Budget,
  type RecordOptions,
  type RecordOutcome,
  SAFETY_ROUNDS,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement-store.ts';
import { EarlySync } from './early-sync.ts';
import { columnsOf, columnsOfScope, columnsOfStep, type SettlementRow, settlementOfRow } from './settlement-row.ts';

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

/**
 * A settlement store in one file, which only its owner can read. It belongs to one process at a time: a second one fails
 * to open it, with `store_unavailable`.
 *
 * @example
 * ```ts
 * import { sqliteSettlementStore } from '@avm402/facilitator';
 *
 * const store = sqliteSettlementStore({ path: 'settlements.sqlite', sync: 'full' });
 * ```
 */
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

// Each sum of a budget is read from an index alone. No step writes to one, except to that of refused rows.
const SPENDING = `
  ALTER TABLE settlements ADD COLUMN terms TEXT;
  UPDATE settlements SET terms = 'anyone' WHERE budgeted_fee > 0;
  DROP INDEX unfinished_settlements;
  CREATE INDEX unfinished_settlements ON settlements (owner) WHERE group_bytes IS NOT NULL;
  DROP INDEX budgeted_settlements;
  CREATE INDEX spending_by_terms ON settlements (terms, recorded_at, network, budgeted_fee) WHERE terms IS NOT NULL;
  CREATE INDEX spending_by_pay_to ON settlements (pay_to, terms, recorded_at, network, budgeted_fee)
    WHERE terms IS NOT NULL;
  CREATE INDEX spending_by_payer ON settlements (payer, recorded_at, network, budgeted_fee) WHERE terms IS NOT NULL;
  CREATE INDEX refused_spending ON settlements (recorded_at, network, terms, pay_to, payer, budgeted_fee)
    WHERE terms IS NOT NULL AND state IN ('rejected', 'expired');
`;

/** What makes each version of the schema from the one before; one that was published is never changed. */
const MIGRATIONS = [SCHEMA, UNFINISHED_BY_GROUP, SPENDING];

/** A row has its group until its outcome is final. */
const UNFINISHED = 'group_bytes IS NOT NULL';

/** No method waits between its statements, and one connection has the file to itself: nothing comes between them. */
class SqliteSettlementStore implements SettlementStore {
  readonly #options: SqliteSettlementStoreOptions;
  readonly #now: () => number;
  readonly #statements = new Map<string, StatementSync>();
  /** What the table of rounds holds, as far as it is known: nobody else writes to it. */
  readonly #rounds = new Map<Network, bigint>();
  /** Until when each owner has renewed its lease. Whoever opens the file finds all of them over. */
  readonly #leases = new Map<string, number>();
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
    // The file has one process at a time: the one that worked on these rows is dead.
    this.#run(`UPDATE settlements SET leased_until = 0 WHERE ${UNFINISHED}`, []);
    this.#earlySync = await earlySyncOf(this.#options);
  }

  async id(): Promise<string> {
    return String(this.#opened.prepare('SELECT id FROM store').get()?.['id']);
  }

  async record(settlement: NewSettlement, { owner, leaseMs, budgets = [] }: RecordOptions): Promise<RecordOutcome> {
    const { network, sponsoredFee } = settlement;
    if (budgets.length > 0) {
      const existing = this.#find(settlement.txId);
      if (existing !== undefined) return { outcome: 'exists', settlement: existing };
      const hasRoom = (budget: Budget): boolean => this.#spent(network, budget) + sponsoredFee <= budget.microAlgos;
      if (!budgets.every(hasRoom)) return { outcome: 'over_budget' };
    }
    const round = this.#raise(network, settlement.round);
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

  async change(txId: string, owner: string, transition: Transition): Promise<boolean> {
    const where = `tx_id = ? AND owner = ? AND state IN (${TRANSITIONS[transition.to].map((state) => `'${state}'`).join(', ')})`;
    if (transition.to === 'released') return this.#changed(`DELETE FROM settlements WHERE ${where}`, [txId, owner]);
    const end = isFinal({ state: transition.to }) ? { leased_until: this.#now() } : {};
    const columns: Readonly<Record<string, SQLInputValue>> = { ...columnsOfStep(transition), ...end };
    const assignments = Object.keys(columns).map((column) => `${column} = ?`);
    const values = [...Object.values(columns), txId, owner];
    return this.#changed(`UPDATE settlements SET ${assignments.join(', ')} WHERE ${where}`, values);
  }

  async deliver(txId: string): Promise<boolean> {
    return this.#changed(
      `UPDATE settlements SET delivered = 1 WHERE tx_id = ? AND state = 'confirmed' AND delivered = 0`,
      [txId],
    );
  }

  async takeOver({ owner, leaseMs, networks, withOwn = false }: TakeOverOptions): Promise<Settlement[]> {
    const now = this.#now();
    this.#leases.set(owner, now + leaseMs);
    // Read from the index: where all rows are the owner's, as nearly always, there is nothing to read.
    const others = this.#statement(
      `SELECT DISTINCT owner FROM settlements WHERE ${UNFINISHED} AND (owner < ? OR owner > ?)`,
    );
    const dead = others
      .all(owner, owner)
      .map((row) => String(row['owner']))
      .filter((other) => (this.#leases.get(other) ?? 0) <= now);
    const free = dead.flatMap((other) => this.#move({ from: other, to: owner, leasedBefore: now, leaseMs, networks }));
    if (!withOwn) return free;
    return [...free, ...this.#move({ from: owner, to: owner, leasedBefore: now + leaseMs, leaseMs, networks })];
  }

  async spent(network: Network, budget: Omit<Budget, 'microAlgos'>): Promise<bigint> {
    return this.#spent(network, budget);
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
    this.#leases.clear();
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

  #spent(network: Network, { scope, since }: Omit<Budget, 'microAlgos'>): bigint {
    const columns = { ...columnsOfScope(scope), network };
    const conditions = Object.keys(columns).map((column) => `${column} = ?`);
    const sum = (more: string): bigint => {
      const row = this.#statement(
        `SELECT COALESCE(SUM(budgeted_fee), 0) AS spent FROM settlements
         WHERE terms IS NOT NULL AND recorded_at >= ? AND ${conditions.join(' AND ')}${more}`,
      ).get(since, ...Object.values(columns));
      return BigInt(row?.['spent']?.toString() ?? 0);
    };
    return sum('') - sum(` AND state IN ('rejected', 'expired')`);
  }

  #move({ from, to, leasedBefore, leaseMs, networks }: Move): Settlement[] {
    const places = networks.map(() => '?').join(', ');
    return this.#rows(
      `UPDATE settlements SET owner = ?, leased_until = ?
       WHERE ${UNFINISHED} AND owner = ? AND leased_until <= ? AND network IN (${places}) RETURNING *`,
      [to, this.#now() + leaseMs, from, leasedBefore, ...networks],
    ).map(settlementOfRow);
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

/** Unfinished rows that go from one owner to another, if their own lease ended by then (ms since 1970). */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly leasedBefore: number;
  readonly leaseMs: number;
  readonly networks: readonly Network[];
}

function insertionOf(columns: readonly string[]): string {
  const places = columns.map(() => '?').join(', ');
  return `INSERT INTO settlements (${columns.join(', ')}) VALUES (${places}) ON CONFLICT (tx_id) DO NOTHING`;
}

/** TxIDs are random, so that rows lie all over the file: with a small cache every settlement reads from it. */
const CACHE_KIBIBYTES = 32_768;
/** A checkpoint waits for the disk; with this many pages it comes once in about four hundred settlements. */
const CHECKPOINT_PAGES = 4000;
const OWNER_ONLY = 0o600;

/** @throws X402Error `store_unavailable`, which says what is wrong with the file */
function openDatabase({ path, sync = 'normal' }: SqliteSettlementStoreOptions): DatabaseSync {
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
