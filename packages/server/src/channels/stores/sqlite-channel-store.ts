import { openSqlite } from '../../stores/sqlite-database.ts';
import { SqliteRows } from '../../stores/sqlite-rows.ts';
import type { Channel } from '../record/channel.ts';
import { amountKey, encodeProgress, encodeRequest, encodeTerms } from './channel-row.ts';
import { ChannelRows } from './channel-rows.ts';
import type { ChangeOutcome, ChannelChange, ChannelStore } from '../record/channel-store.ts';

export interface SqliteChannelStoreOptions {
  /** The file; it is created if needed, and several processes on one machine may share it. `:memory:` for none. */
  readonly path: string;
}

/** A channel store in one file. What it has stored survives the death of the process and of the machine. */
export interface SqliteChannelStore extends ChannelStore {
  close(): void;
}

const SCHEMA_VERSION = 1;
// Channels have a rowid: their rows are long, and in the tree of a table without one, each would spill to a page of its
// own.
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

/** Channels are spread over the whole file: with a small cache, every charge reads from it. */
const CACHE_KIBIBYTES = 32_768;

/**
 * Opens the store. A charge waits for the disk; charges that are written together share one wait.
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
  const database = openSqlite({
    path,
    purpose: 'channel store',
    schema: SCHEMA,
    columns: ADDED_COLUMNS,
    indexes: ADDED_INDEXES,
    version: SCHEMA_VERSION,
    synchronous: 'FULL',
  });
  database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
  return new SqliteChannels(new SqliteRows(database, { name: 'channels', key: 'channel_id' }));
}

class SqliteChannels extends ChannelRows implements SqliteChannelStore {
  readonly #file: SqliteRows;

  constructor(file: SqliteRows) {
    super(file, { requests: 'requests', deposits: 'deposits', claimKey: 'claim_key' });
    this.#file = file;
  }

  async write(changes: readonly ChannelChange[]): Promise<readonly ChangeOutcome[]> {
    return this.#file.atomically(() => changes.map((change) => this.#write(change)));
  }

  close(): void {
    this.#file.close();
  }

  #write({ next, previous, requests = [], deposits = [] }: ChannelChange): ChangeOutcome {
    if (deposits.some((txId) => this.#isCounted(txId)) || !this.#replace(next, previous)) return 'outdated';
    if (next.state === 'closed' || next.state === 'lost') return this.#forget(next.channelId);
    for (const txId of deposits) {
      this.#file.run('INSERT INTO deposits (tx_id, channel_id) VALUES (?, ?)', [txId, next.channelId]);
    }
    for (const request of requests) {
      const { amount, charge, owner, payment_id, document, body, kept_until } = encodeRequest(request);
      this.#file.run(
        `INSERT OR REPLACE INTO requests (channel_id, amount, charge, owner, payment_id, document, body, kept_until)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [next.channelId, amount, charge, owner, payment_id, document, body, kept_until],
      );
    }
    this.#file.run('DELETE FROM requests WHERE channel_id = ? AND amount < ?', [next.channelId, amountKey(next.floor)]);
    return 'stored';
  }

  #forget(channelId: string): ChangeOutcome {
    this.#file.run('DELETE FROM requests WHERE channel_id = ?', [channelId]);
    this.#file.run('DELETE FROM deposits WHERE channel_id = ?', [channelId]);
    return 'stored';
  }

  /** Returns false if the channel's row does not have the version that the change was made from. */
  #replace(next: Channel, previous: number | undefined): boolean {
    const { channelId, version, state } = next;
    const progress = encodeProgress(next);
    if (previous === undefined) {
      return this.#file.insert({ channel_id: channelId, version, state, terms: encodeTerms(next), progress });
    }
    // An open channel has never been in another state; naming the column would also write a page of its index.
    return this.#file.replace(channelId, previous, { version, progress, ...(state !== 'open' && { state }) });
  }

  #isCounted(txId: string): boolean {
    return this.#file.find('SELECT tx_id FROM deposits WHERE tx_id = ?', [txId]).length > 0;
  }
}
