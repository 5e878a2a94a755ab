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
  rememberedOf,
  requestOf,
  type RequestRow,
} from './channel-row.ts';
import type { ChangeOutcome, ChannelChange, ChannelPage, ChannelStore, RememberedRequest } from './channel-store.ts';

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

/** Channels lie all over the file: with a small cache every charge reads from it. */
const CACHE_KIBIBYTES = 32_768;

/**
 * Opens the store. A charge waits for the disk, one wait for all that are written together.
 * @throws X402Error `store_unavailable` on a Node without node:sqlite, or if the file can't be used
 *
 * @example
 * ```ts
 * import { sqliteChannelStore } from '@avm402/server/sqlite';
 *
 * const store = sqliteChannelStore({ path: 'channels.sqlite' });
 * ```
 */
export function sqliteChannelStore({ path }: SqliteChannelStoreOptions): SqliteChannelStore {
  const purpose = 'channel store';
  return new SqliteStore(openSqlite({ path, purpose, schema: SCHEMA, version: SCHEMA_VERSION, synchronous: 'FULL' }));
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

  async unfinished({ after = '', limit }: ChannelPage): Promise<readonly Channel[]> {
    return this.#rows<ChannelRow>(
      `SELECT terms, progress FROM channels WHERE state IN ('open', 'closing') AND channel_id > ?
       ORDER BY channel_id LIMIT ?`,
      [after, limit],
    ).map(channelOf);
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
    for (const txId of deposits) this.#run('INSERT INTO deposits (tx_id) VALUES (?)', [txId]);
    for (const request of requests) {
      const { amount, charge, owner, payment_id, document, body } = encodeRequest(request);
      this.#run(
        `INSERT OR REPLACE INTO requests (channel_id, amount, charge, owner, payment_id, document, body)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [next.channelId, amount, charge, owner, payment_id, document, body],
      );
    }
    this.#run('DELETE FROM requests WHERE channel_id = ? AND amount < ?', [next.channelId, amountKey(next.floor)]);
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
