import { PostgresRows } from '../../stores/postgres-rows.ts';
import { PostgresDatabase, type PostgresStore } from '../../stores/postgres-database.ts';
import { amountKey, encodeProgress, encodeRequest, encodeTerms } from './channel-row.ts';
import { ChannelRows } from './channel-rows.ts';
import type { ChangeOutcome, ChannelChange, ChannelStore } from '../record/channel-store.ts';

export interface PostgresChannelStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
}

/** A channel store that servers on any number of machines share. */
export type PostgresChannelStore = ChannelStore & PostgresStore;

/** Ids are compared byte by byte, as programs do. */
const MIGRATIONS = {
  channels: `
    CREATE TABLE avm402_channels (
      channel_id text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL,
      state text NOT NULL,
      floor text COLLATE "C" NOT NULL,
      terms text NOT NULL,
      progress text NOT NULL
    );
    CREATE INDEX avm402_channels_unfinished ON avm402_channels (channel_id) WHERE state IN ('open', 'closing');
    CREATE TABLE avm402_channel_requests (
      channel_id text COLLATE "C" NOT NULL,
      amount text COLLATE "C" NOT NULL,
      charge text NOT NULL,
      owner text NOT NULL,
      payment_id text,
      document text,
      body bytea,
      PRIMARY KEY (channel_id, amount)
    );
    CREATE TABLE avm402_channel_deposits (tx_id text COLLATE "C" PRIMARY KEY);
    CREATE TABLE avm402_claim_key (id integer PRIMARY KEY CHECK (id = 1), seed bytea NOT NULL);`,
  // Servers of earlier versions leave both columns empty.
  'pruned channels': `
    ALTER TABLE avm402_channel_requests ADD COLUMN kept_until bigint;
    ALTER TABLE avm402_channel_deposits ADD COLUMN channel_id text COLLATE "C";
    CREATE INDEX avm402_channel_responses ON avm402_channel_requests (kept_until) WHERE kept_until IS NOT NULL;
    CREATE INDEX avm402_channel_deposits_of ON avm402_channel_deposits (channel_id) WHERE channel_id IS NOT NULL;`,
};

/**
 * Writes any number of changes at once, in one transaction and one round trip: a row of $1–$7 for each channel, of
 * $8–$9 for each deposit, of $10–$17 for each request. Returns the channels whose change is stored. Rows are locked in
 * the order of ids, so that servers never wait for each other in a circle. Requests to forget are looked for from the
 * previous floor, because below it lie the dead rows of everything forgotten since the table was last vacuumed. Of a
 * channel that is over, only its row is kept.
 */
const WRITE = `
  WITH change AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
      AS given (channel_id, previous, version, state, floor, terms, progress)
    WHERE channel_id NOT IN (
      SELECT of_channel FROM unnest($8::text[], $9::text[]) AS deposit (of_channel, tx_id)
      JOIN avm402_channel_deposits USING (tx_id)
    )
  ), locked AS (
    SELECT channel_id, known.floor AS old_floor, change.floor, change.state IN ('closed', 'lost') AS is_over
    FROM avm402_channels AS known JOIN change USING (channel_id)
    WHERE known.version = change.previous ORDER BY channel_id FOR UPDATE OF known
  ), updated AS (
    UPDATE avm402_channels AS known
    SET version = change.version, state = change.state, floor = change.floor, progress = change.progress
    FROM change JOIN locked USING (channel_id) WHERE known.channel_id = change.channel_id
    RETURNING known.channel_id
  ), inserted AS (
    INSERT INTO avm402_channels (channel_id, version, state, floor, terms, progress)
    SELECT channel_id, version, state, floor, terms, progress FROM change WHERE previous IS NULL ORDER BY channel_id
    ON CONFLICT (channel_id) DO NOTHING RETURNING channel_id
  ), stored AS (
    SELECT channel_id FROM updated UNION ALL SELECT channel_id FROM inserted
  ), counted AS (
    INSERT INTO avm402_channel_deposits (tx_id, channel_id)
    SELECT tx_id, channel_id FROM unnest($8::text[], $9::text[]) AS deposit (channel_id, tx_id)
    JOIN stored USING (channel_id)
  ), remembered AS (
    INSERT INTO avm402_channel_requests (channel_id, amount, charge, owner, payment_id, document, body, kept_until)
    SELECT channel_id, amount, charge, owner, payment_id, document, body, kept_until
    FROM unnest($10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bytea[], $17::bigint[])
      AS request (channel_id, amount, charge, owner, payment_id, document, body, kept_until)
    JOIN stored USING (channel_id) JOIN change USING (channel_id)
    WHERE amount COLLATE "C" >= floor AND state NOT IN ('closed', 'lost')
    ON CONFLICT (channel_id, amount) DO UPDATE SET charge = excluded.charge, owner = excluded.owner,
      payment_id = excluded.payment_id, document = excluded.document, body = excluded.body,
      kept_until = excluded.kept_until
  ), forgotten AS (
    DELETE FROM avm402_channel_requests AS request USING locked
    WHERE request.channel_id = locked.channel_id AND (is_over OR amount >= old_floor AND amount < floor)
  ), uncounted AS (
    DELETE FROM avm402_channel_deposits AS deposit USING locked WHERE deposit.channel_id = locked.channel_id AND is_over
  )
  SELECT channel_id FROM stored`;

/**
 * Opens the store at its first use, and makes its tables if needed. A charge waits for one round trip and the
 * database's disk; charges that are written together share the wait. Nothing is served while the database does not
 * answer.
 *
 * @example
 * ```ts
 * import { createPostgresChannelStore } from '@avm402/server/postgres';
 *
 * const store = createPostgresChannelStore({ url: 'postgres://avm402:secret@db.example/avm402' });
 * ```
 */
export function createPostgresChannelStore({ url }: PostgresChannelStoreOptions): PostgresChannelStore {
  return new PostgresChannels(new PostgresDatabase(url, MIGRATIONS));
}

class PostgresChannels extends ChannelRows implements PostgresChannelStore {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    super(new PostgresRows(database, { name: 'avm402_channels', key: 'channel_id' }), {
      requests: 'avm402_channel_requests',
      deposits: 'avm402_channel_deposits',
      claimKey: 'avm402_claim_key',
    });
    this.#database = database;
  }

  open(): Promise<void> {
    return this.#database.open();
  }

  async write(changes: readonly ChannelChange[]): Promise<readonly ChangeOutcome[]> {
    const columns = [channelColumns(changes), depositColumns(changes), requestColumns(changes)].flat();
    const { rows } = await this.#database.query<{ channel_id: string }>(WRITE, columns);
    const stored = new Set(rows.map(({ channel_id }) => channel_id));
    return changes.map(({ next }) => (stored.has(next.channelId) ? 'stored' : 'outdated'));
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

type Columns = readonly (readonly unknown[])[];

function channelColumns(changes: readonly ChannelChange[]): Columns {
  return [
    changes.map(({ next }) => next.channelId),
    changes.map(({ previous = null }) => previous),
    changes.map(({ next }) => next.version),
    changes.map(({ next }) => next.state),
    changes.map(({ next }) => amountKey(next.floor)),
    changes.map(({ next, previous }) => (previous === undefined ? encodeTerms(next) : null)),
    changes.map(({ next }) => encodeProgress(next)),
  ];
}

function depositColumns(changes: readonly ChannelChange[]): Columns {
  const counted = changes.flatMap(({ next, deposits = [] }) => deposits.map((txId) => [next.channelId, txId]));
  return [counted.map(([channelId]) => channelId), counted.map(([, txId]) => txId)];
}

/** In the order of the statement's values. */
const REQUEST_COLUMNS = [
  'channelId',
  'amount',
  'charge',
  'owner',
  'payment_id',
  'document',
  'body',
  'kept_until',
] as const;

/** Of two rows with one amount, the later one counts: PostgreSQL would refuse to write both. */
function requestColumns(changes: readonly ChannelChange[]): Columns {
  const requests = changes.flatMap(({ next: { channelId }, requests: charged = [] }) => {
    const byAmount = new Map(charged.map((request) => [request.amount, { channelId, ...encodeRequest(request) }]));
    return [...byAmount.values()];
  });
  return REQUEST_COLUMNS.map((name) => requests.map((request) => request[name]));
}
