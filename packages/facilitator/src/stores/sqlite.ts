import { open as openFile, realpath } from 'node:fs/promises';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { Catalogue } from '../discovery/catalogue.ts';
import type { DayTotal, LedgerFilter, LedgerQuery } from '../settlement/ledger.ts';
import type { NewSettlement, Settlement, Transition } from '../settlement/settlement.ts';
import {
  type Budget,
  type ChannelParty,
  type HeldLease,
  type RecordOptions,
  type RecordOutcome,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement/settlement-store.ts';
import { EarlySync } from './early-sync.ts';
import { entriesOfOrigin, findEntries, putEntry } from './catalogue-scripts.ts';
import { listSettlements, totalSettlements } from './ledger-scripts.ts';
import { areEqual, places, type Script, type Statement } from './script.ts';
import { columnsOf, columnsOfScope } from './settlement-row.ts';
import {
  countOpenChannels,
  deliveryOf,
  endChannel,
  expiredChannels,
  findSettlement,
  hindranceOf,
  leaseHolder,
  lowerRound,
  movesOfChannel,
  pruningOf,
  settlementOf,
  stepOf,
} from './settlement-scripts.ts';
import { SpendingBounds } from './spending-bounds.ts';
import { type OpenedFile, openDatabase } from './sqlite-file.ts';
import { runScript, SQLITE } from './sqlite-scripts.ts';

export interface SqliteSettlementStoreOptions {
  /** File, or `:memory:`. */
  readonly path: string;
  /**
   * `normal` (default): a commit survives the death of the process. `full`: it survives the death of the machine as
   * well, which costs some milliseconds a commit.
   */
  readonly sync?: 'normal' | 'full';
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * A settlement store in one file, which only its owner can read. It belongs to one process at a time: a second one fails
 * to open it, with `store_unavailable`. Meanwhile others can read it.
 *
 * @example
 * ```ts
 * import { createSqliteSettlementStore } from '@avm402/facilitator';
 *
 * const store = createSqliteSettlementStore({ path: 'settlements.sqlite', sync: 'full' });
 * ```
 */
export function createSqliteSettlementStore(options: SqliteSettlementStoreOptions): SettlementStore {
  return new SqliteSettlementStore(options);
}

/** A row has its group until its outcome is final. */
const UNFINISHED = 'group_bytes IS NOT NULL';

/** No method awaits between its statements, and the file has a single connection, so nothing comes between them. */
class SqliteSettlementStore implements SettlementStore {
  readonly catalogue: Catalogue = {
    put: async (entry, options) => this.#runOnce(putEntry(SQLITE, entry, options)),
    find: async (query) => this.#runOnce(findEntries(SQLITE, query)),
    ofOrigin: async (origin) => this.#runOnce(entriesOfOrigin(SQLITE, origin)),
  };
  readonly #options: SqliteSettlementStoreOptions;
  readonly #now: () => number;
  readonly #statements = new Map<string, StatementSync>();
  /** The known contents of the table of rounds: nobody else writes to it. */
  readonly #rounds = new Map<Network, bigint>();
  /** The time until which each owner has renewed its lease. When the file is opened, all leases are over. */
  readonly #leases = new Map<string, number>();
  #spending = new SpendingBounds();
  #insertion: string | undefined;
  #earlySync: EarlySync | undefined;
  #file: OpenedFile | undefined;

  constructor(options: SqliteSettlementStoreOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async open(): Promise<void> {
    if (this.#file !== undefined) return;
    this.#file = openDatabase(this.#options);
    // One process at a time has the file: the one that worked on these rows is dead.
    this.#run(`UPDATE settlements SET leased_until = 0 WHERE ${UNFINISHED}`, []);
    this.#earlySync = await earlySyncOf(this.#options);
  }

  async id(): Promise<string> {
    return String(this.#opened.prepare('SELECT id FROM store').get()?.['id']);
  }

  async record(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome> {
    const { owner, leaseMs, budgets = [] } = options;
    const { network, sponsoredFee } = settlement;
    if (budgets.length > 0 || settlement.channel !== undefined || settlement.lease !== undefined) {
      const hindrance = this.#script(hindranceOf(SQLITE, settlement, options.channelLimits));
      if (hindrance !== undefined) return hindrance;
      const hasRoom = (budget: Budget): boolean => this.#left(network, budget, sponsoredFee) >= sponsoredFee;
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
    this.#spending.recorded(settlement);
    const row: Settlement = { ...settlement, round, state: 'recorded', delivered: false, recordedAt: now, owner };
    return { outcome: 'recorded', settlement: row };
  }

  async find(txId: string): Promise<Settlement | undefined> {
    return this.#script(findSettlement(SQLITE, txId));
  }

  async leaseHolder(lease: HeldLease): Promise<string | undefined> {
    return this.#script(leaseHolder(SQLITE, lease));
  }

  async change(txId: string, owner: string, transition: Transition): Promise<boolean> {
    const end = { sql: '?', values: [this.#now()] };
    return this.#changes(stepOf(SQLITE, { txId, owner, transition, end }));
  }

  async deliver(txId: string): Promise<boolean> {
    return this.#changes(deliveryOf(SQLITE, txId));
  }

  async takeOver({ owner, leaseMs, networks, withOwn = false }: TakeOverOptions): Promise<Settlement[]> {
    const now = this.#now();
    this.#leases.set(owner, now + leaseMs);
    // Read from the index: if the owner has all rows, as it mostly does, nothing is read.
    const others = this.#statement(
      `SELECT DISTINCT owner FROM settlements WHERE ${UNFINISHED} AND (owner < ? OR owner > ?)`,
    );
    const dead = others
      .all(owner, owner)
      .map((row) => String(row['owner']))
      .filter((other) => (this.#leases.get(other) ?? 0) <= now);
    const free = dead.flatMap((other) => this.#move({ from: other, to: owner, leasedBefore: now, leaseMs, networks }));
    if (!withOwn) return free;
    // Whatever their lease: the clock may have been set back since it began.
    const own = { from: owner, to: owner, leasedBefore: Number.MAX_SAFE_INTEGER };
    return [...free, ...this.#move({ ...own, leaseMs, networks })];
  }

  async budgetLeft(network: Network, budget: Budget, upTo: bigint): Promise<bigint> {
    return this.#left(network, budget, upTo);
  }

  async channel(id: string): Promise<Settlement[]> {
    return this.#script(movesOfChannel(SQLITE, id));
  }

  async openChannels(network: Network, of: ChannelParty = {}): Promise<number> {
    return this.#script(countOpenChannels(SQLITE, network, of));
  }

  async expiredChannels(
    network: Network,
    options: { readonly round: bigint; readonly limit: number },
  ): Promise<Settlement[]> {
    return this.#script(expiredChannels(SQLITE, network, options));
  }

  async endChannel(id: string): Promise<void> {
    this.#script(endChannel(SQLITE, id));
  }

  async raiseRound(network: Network, round: bigint): Promise<void> {
    this.#raise(network, round);
  }

  async lowerRound(network: Network, round: bigint): Promise<void> {
    this.#rounds.delete(network);
    this.#transaction(() => this.#script(lowerRound(SQLITE, network, round)));
  }

  async prune(options: { readonly before: number; readonly limit: number }): Promise<number> {
    const { sql, values } = pruningOf(SQLITE, options);
    return this.#run(sql, values);
  }

  async list(query: LedgerQuery): Promise<readonly Settlement[]> {
    return this.#runOnce(listSettlements(SQLITE, query));
  }

  async totals(filter: LedgerFilter): Promise<readonly DayTotal[]> {
    return this.#runOnce(totalSettlements(SQLITE, filter));
  }

  async checkWritable(): Promise<void> {
    // SQLite writes nothing where a row stays as it is.
    this.#transaction(() => {
      this.#run(`INSERT INTO store (id) VALUES ('')`, []);
      this.#run(`DELETE FROM store WHERE id = ''`, []);
    });
  }

  async close(): Promise<void> {
    const file = this.#file;
    const earlySync = this.#earlySync;
    this.#file = undefined;
    this.#earlySync = undefined;
    this.#statements.clear();
    this.#rounds.clear();
    this.#leases.clear();
    this.#spending = new SpendingBounds();
    // Some systems can't delete an open file, and the database deletes its log.
    await earlySync?.close();
    file?.close();
  }

  /** False if there is a row for this TxID. All rows have the same columns, in the same order. */
  #insert(columns: Readonly<Record<string, SQLInputValue>>): boolean {
    this.#insertion ??= insertionOf(Object.keys(columns));
    return this.#run(this.#insertion, Object.values(columns)) > 0;
  }

  #existing({ txId }: NewSettlement): RecordOutcome {
    const settlement = this.#script(findSettlement(SQLITE, txId));
    if (settlement === undefined) throw new TypeError('a row was neither written nor there before');
    return { outcome: 'exists', settlement };
  }

  #left(network: Network, budget: Budget, upTo: bigint): bigint {
    const least = this.#spending.leastLeft(network, budget);
    if (least !== undefined && least >= upTo) return upTo;
    const { scope, since, microAlgos } = budget;
    const within = areEqual({ ...columnsOfScope(scope), network });
    const sum = (more: string): bigint => {
      const row = this.#statement(
        `SELECT COALESCE(SUM(budgeted_fee), 0) AS spent FROM settlements
         WHERE terms IS NOT NULL AND recorded_at >= ? AND ${within.sql}${more}`,
      ).get(since, ...within.values);
      return BigInt(row?.['spent']?.toString() ?? 0);
    };
    const all = sum('');
    this.#spending.learn(network, budget, all);
    const left = microAlgos - all + sum(` AND state IN ('rejected', 'expired') AND fee_held = 0`);
    return left < upTo ? left : upTo;
  }

  #move({ from, to, leasedBefore, leaseMs, networks }: Move): Settlement[] {
    const moved = this.#statement(
      `UPDATE settlements SET owner = ?, leased_until = ?
       WHERE ${UNFINISHED} AND owner = ? AND leased_until <= ? AND network IN (${places(networks)}) RETURNING *`,
    );
    return moved.all(to, this.#now() + leaseMs, from, leasedBefore, ...networks).map(settlementOf);
  }

  /** Raises the network's highest round to at least `round`, and returns it. */
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

  #changes({ sql, values }: Statement): boolean {
    return this.#run(sql, values) > 0;
  }

  #run(sql: string, values: readonly SQLInputValue[]): number {
    const { changes } = this.#statement(sql).run(...values);
    this.#earlySync?.wrote();
    return Number(changes);
  }

  #script<Result>(script: Script<Result>): Result {
    return runScript((sql) => this.#statement(sql), script);
  }

  /** Runs a script of rare statements, which are not kept prepared: their texts differ with what is asked. */
  #runOnce<Result>(script: Script<Result>): Result {
    return runScript((sql) => this.#opened.prepare(sql), script);
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
      // Where the disk is full, SQLite has rolled back itself.
      if (this.#opened.isTransaction) this.#run('ROLLBACK', []);
      throw error;
    }
  }

  get #opened(): DatabaseSync {
    if (this.#file === undefined) throw new X402Error('store_unavailable', { message: 'the store is not open' });
    return this.#file.database;
  }
}

/** A move of unfinished rows to another owner, if their own lease ended by `leasedBefore` (ms since 1970). */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly leasedBefore: number;
  readonly leaseMs: number;
  readonly networks: readonly Network[];
}

function insertionOf(columns: readonly string[]): string {
  return `INSERT INTO settlements (${columns.join(', ')}) VALUES (${places(columns)}) ON CONFLICT (tx_id) DO NOTHING`;
}

/**
 * Syncs the write-ahead log early: a checkpoint waits until all of the log is on the disk, and every payment waits for
 * the checkpoint. With `full`, every commit waits anyway.
 */
async function earlySyncOf({ path, sync = 'normal' }: SqliteSettlementStoreOptions): Promise<EarlySync | undefined> {
  if (sync === 'full' || path === ':memory:') return undefined;
  // SQLite keeps the log beside the file itself, also if a link leads to it.
  return new EarlySync(await openFile(`${await realpath(path)}-wal`, 'r+'));
}
