import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { openSqlite } from '../sqlite-database.ts';
import type { Channel, ChannelRequest } from './channel.ts';
import {
  amountKey,
  channelOf,
  type ChannelRow,
  encodeProgress,
  encodeRequest,
  encodeTerms,
  listedChannelOf,
  rememberedOf,
  requestOf,
  type RequestRow,
} from './channel-row.ts';
import type {
  ChangeOutcome,
  ChannelChange,
  ChannelPage,
  ChannelStore,
  RememberedRequest,
  UnreadableChannel,
} from './channel-store.ts';

export interface SqliteChannelStoreOptions {
  /** File, created if need be; several processes on one machine may share it. `:memory:` for none. */
  readonly path: string;
}

/** A channel store in one file. What it has stored survives the death of the process and of the machine. */
export interface SqliteChannelStore extends ChannelStore {
  close(): void;
}

const SCHEMA_VERSION = 1;
// Channels have a rowid: their rows are long, and in the tree of a table without one each would spill to a page of its own.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS channels (
    channel_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    terms TEXT NOT NULL,
    progress TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS unfinished_channels ON channels (channel_id) WHERE state IN ('open', 'closing');
  CREATE TABLE IF NOT EXISTS requests (
    channel_id TEXT NOT NULL,
    amount TEXT NOT NULL,
    charge TEXT NOT NULL,
    owner TEXT NOT NULL,
    payment_id TEXT,
    document TEXT,
    body BLOB,
    PRIMARY KEY (channel_id, amount)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS deposits (tx_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS claim_key (id INTEGER PRIMARY KEY CHECK (id = 1), seed BLOB NOT NULL) STRICT;
`;

/** Files of earlier versions lack these; programs of earlier versions leave them empty. */
const ADDED_COLUMNS = [
  ['requests', 'kept_until', 'INTEGER'],
  ['deposits', 'channel_id', 'TEXT'],
] as const;
const ADDED_INDEXES = `
  CREATE INDEX IF NOT EXISTS kept_responses ON requests (kept_until) WHERE kept_until IS NOT NULL;
  CREATE INDEX IF NOT EXISTS deposits_of_channels ON deposits (channel_id) WHERE channel_id IS NOT NULL;
`;

/** Channels lie all over the file: with a small cache every charge reads from it. */
const CACHE_KIBIBYTES = 32_768;

/**
 * Opens the store. A charge waits for the disk, one wait for all that are written together.
 * @throws X402Error `store_unavailable` on a Node without node:sqlite, or if the file can't be used
 *
 * @example
 * ```ts
 * import { createSqliteChannelStore } from '@avm402/server/sqlite';
 *
 * const store = createSqliteChannelStore({ path: 'channels.sqlite' });
 * ```
 */
export function createSqliteChannelStore({ path }: SqliteChannelStoreOptions): SqliteChannelStore {
  const purpose = 'channel store';
  const database = openSqlite({ path, purpose, schema: SCHEMA, version: SCHEMA_VERSION, synchronous: 'FULL' });
  addColumns(database);
  return new SqliteStore(database);
}

/** Under one lock: another process may be doing the same. */
function addColumns(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  for (const [table, column, type] of ADDED_COLUMNS) {
    const isThere = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column);
    if (isThere === undefined) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }
  database.exec(`${ADDED_INDEXES} COMMIT`);
}

class SqliteStore implements SqliteChannelStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
    this.#database = database;
  }

  async get(channelId: string): Promise<Channel | undefined> {
    const [row] = this.#rows<ChannelRow>('SELECT terms, progress FROM channels WHERE channel_id = ?', [channelId]);
    return row && channelOf(row);
  }

  /** One transaction, and so one wait for the disk. */
  async write(changes: readonly ChannelChange[]): Promise<readonly ChangeOutcome[]> {
    this.#run('BEGIN IMMEDIATE');
    try {
      const outcomes = changes.map((change) => this.#write(change));
      this.#run('COMMIT');
      return outcomes;
    } catch (error) {
      if (this.#database.isTransaction) this.#run('ROLLBACK');
      throw error;
    }
  }

  async remembered(channelId: string): Promise<readonly RememberedRequest[]> {
    return this.#rows<RequestRow>(
      'SELECT amount, charge, owner, payment_id FROM requests WHERE channel_id = ? ORDER BY amount',
      [channelId],
    ).map(rememberedOf);
  }

  async request(channelId: string, amount: bigint): Promise<ChannelRequest | undefined> {
    const query = 'SELECT * FROM requests WHERE channel_id = ? AND amount = ?';
    const [row] = this.#rows<RequestRow>(query, [channelId, amountKey(amount)]);
    return row && requestOf(row);
  }

  async hasDeposit(txId: string): Promise<boolean> {
    return this.#isCounted(txId);
  }

  async unfinished({ after = '', limit }: ChannelPage): Promise<readonly (Channel | UnreadableChannel)[]> {
    return this.#rows<ChannelRow>(
      `SELECT channel_id, terms, progress FROM channels WHERE state IN ('open', 'closing') AND channel_id > ?
       ORDER BY channel_id LIMIT ?`,
      [after, limit],
    ).map(listedChannelOf);
  }

  async prune(now: number): Promise<void> {
    this.#run(
      `UPDATE requests SET body = NULL, document = json_remove(document, '$.response'), kept_until = NULL
       WHERE kept_until <= ?`,
      [now],
    );
  }

  async claimKey(made: Uint8Array): Promise<Uint8Array> {
    this.#run('INSERT INTO claim_key (id, seed) VALUES (1, ?) ON CONFLICT (id) DO NOTHING', [made]);
    const [kept] = this.#rows<{ seed: Uint8Array }>('SELECT seed FROM claim_key');
    return kept?.seed ?? made;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #write({ next, previous, requests = [], deposits = [] }: ChannelChange): ChangeOutcome {
    if (deposits.some((txId) => this.#isCounted(txId)) || !this.#replace(next, previous)) return 'outdated';
    if (next.state === 'closed' || next.state === 'lost') return this.#forget(next.channelId);
    for (const txId of deposits) {
      this.#run('INSERT INTO deposits (tx_id, channel_id) VALUES (?, ?)', [txId, next.channelId]);
    }
    for (const request of requests) {
      const { amount, charge, owner, payment_id, document, body, kept_until } = encodeRequest(request);
      this.#run(
        `INSERT OR REPLACE INTO requests (channel_id, amount, charge, owner, payment_id, document, body, kept_until)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [next.channelId, amount, charge, owner, payment_id, document, body, kept_until],
      );
    }
    this.#run('DELETE FROM requests WHERE channel_id = ? AND amount < ?', [next.channelId, amountKey(next.floor)]);
    return 'stored';
  }

  #forget(channelId: string): ChangeOutcome {
    this.#run('DELETE FROM requests WHERE channel_id = ?', [channelId]);
    this.#run('DELETE FROM deposits WHERE channel_id = ?', [channelId]);
    return 'stored';
  }

  /** False if the channel's row is not of the version that the change was made from. */
  #replace(next: Channel, previous: number | undefined): boolean {
    const { channelId, version, state } = next;
    const progress = encodeProgress(next);
    if (previous === undefined) {
      const insert = `INSERT INTO channels (channel_id, version, state, terms, progress) VALUES (?, ?, ?, ?, ?)
                      ON CONFLICT (channel_id) DO NOTHING`;
      return this.#run(insert, [channelId, version, state, encodeTerms(next), progress]) === 1;
    }
    // An open channel has never been in another state; naming the column would write a page of its index, too.
    const update =
      state === 'open'
        ? 'UPDATE channels SET version = ?, progress = ? WHERE channel_id = ? AND version = ?'
        : `UPDATE channels SET version = ?, progress = ?, state = '${state}' WHERE channel_id = ? AND version = ?`;
    return this.#run(update, [version, progress, channelId, previous]) === 1;
  }

  #isCounted(txId: string): boolean {
    return this.#rows('SELECT tx_id FROM deposits WHERE tx_id = ?', [txId]).length > 0;
  }

  #run(sql: string, values: readonly SQLInputValue[] = []): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  #rows<Row>(sql: string, values: readonly SQLInputValue[] = []): Row[] {
    // The columns are those of the schema above.
    return this.#statement(sql).all(...values) as Row[];
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}
