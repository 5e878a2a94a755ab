import { DatabaseError } from 'pg';
import { DAY_MS } from '@avm402/core/durations';
import { PostgresDatabase } from '../postgres-database.ts';
import type { Redemption } from './redemption.ts';
import { encodeRedemption, type RedemptionDocument, redemptionOf } from './redemption-document.ts';
import { MAX_REFUSED_PER_PAYER, type PutOutcome, type RedemptionStore } from './redemption-store.ts';

export interface PostgresRedemptionStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Milliseconds that finished rows are kept after their last change. Default 24 hours. */
  readonly retentionMs?: number;
  /** Rows kept; the oldest finished ones go first, once a minute. Default 1,000,000. */
  readonly maxRows?: number;
  /** Bytes of kept responses; the oldest go first, their receipts stay. Default 1 GiB. */
  readonly maxResponseBytes?: number;
  /** Bytes of kept responses of one payer. Default 16 MiB. */
  readonly maxResponseBytesPerPayer?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A redemption store that servers on any number of machines share. */
export interface PostgresRedemptionStore extends RedemptionStore {
  /**
   * Connects and makes the tables; the other methods do it if need be.
   * @throws X402Error `store_unavailable`
   */
  open(): Promise<void>;
  close(): Promise<void>;
}

const MIGRATIONS = {
  redemptions: `
    CREATE TABLE avm402_redemptions (
      tx_id text PRIMARY KEY,
      version bigint NOT NULL,
      payment_id text UNIQUE,
      payer text NOT NULL,
      state text NOT NULL,
      updated_at bigint NOT NULL,
      kept_until bigint,
      document text NOT NULL,
      body bytea
    );
    CREATE INDEX avm402_redemptions_old ON avm402_redemptions (updated_at);
    CREATE INDEX avm402_redemptions_kept ON avm402_redemptions (kept_until) WHERE kept_until IS NOT NULL;
    CREATE INDEX avm402_redemptions_kept_of_payer ON avm402_redemptions (payer, kept_until)
      WHERE kept_until IS NOT NULL;
    CREATE INDEX avm402_redemptions_refused_of_payer ON avm402_redemptions (payer, updated_at)
      WHERE state = 'released';`,
};

const SELECT = 'SELECT document, body FROM avm402_redemptions';
const INSERT = `
  INSERT INTO avm402_redemptions (payment_id, payer, state, updated_at, kept_until, document, body, version, tx_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tx_id) DO NOTHING`;
const UPDATE = `
  UPDATE avm402_redemptions SET payment_id = $1, payer = $2, state = $3, updated_at = $4, kept_until = $5,
    document = $6, body = $7, version = $8 WHERE tx_id = $9 AND version = $10`;
/** Rows that another server is changing are left to it: two that wait for each other would both fail. */
const UNLOCKED = 'SELECT tx_id FROM avm402_redemptions WHERE tx_id IN (ROWS) FOR UPDATE SKIP LOCKED';
const DROP_REFUSED = `
  DELETE FROM avm402_redemptions WHERE tx_id IN (${UNLOCKED.replace(
    'ROWS',
    `SELECT tx_id FROM avm402_redemptions WHERE payer = $1 AND state = 'released'
     ORDER BY updated_at DESC OFFSET ${MAX_REFUSED_PER_PAYER}`,
  )})`;
const DROP_OLD = `
  DELETE FROM avm402_redemptions WHERE tx_id IN (${UNLOCKED.replace(
    'ROWS',
    `SELECT tx_id FROM avm402_redemptions WHERE updated_at < $1 AND state <> 'sending' LIMIT $2`,
  )})`;
const DROP_SURPLUS = `
  DELETE FROM avm402_redemptions WHERE tx_id IN (${UNLOCKED.replace(
    'ROWS',
    `SELECT tx_id FROM avm402_redemptions WHERE state IN ('settled', 'released') ORDER BY updated_at
     LIMIT (SELECT greatest(0, least($2, count(*) - $1)) FROM avm402_redemptions)`,
  )})`;
const DROP_LATE_BODIES = `
  UPDATE avm402_redemptions SET body = NULL, kept_until = NULL WHERE tx_id IN (${UNLOCKED.replace(
    'ROWS',
    'SELECT tx_id FROM avm402_redemptions WHERE kept_until < $1',
  )})`;
/** Drops bodies beyond $1 bytes, the newest stay; `WHO` says whose. */
const DROP_BODIES = `
  UPDATE avm402_redemptions SET body = NULL, kept_until = NULL WHERE tx_id IN (${UNLOCKED.replace(
    'ROWS',
    `SELECT tx_id FROM (
       SELECT tx_id, sum(octet_length(body)) OVER newest AS bytes, row_number() OVER newest AS place
       FROM avm402_redemptions WHERE kept_until IS NOT NULL AND WHO
       WINDOW newest AS (ORDER BY kept_until DESC, updated_at DESC, tx_id)
     ) AS kept WHERE bytes > $1 AND place > 1`,
  )})`;
const DROP_BODIES_OF_ALL = DROP_BODIES.replace('WHO', 'true');
const DROP_BODIES_OF_PAYER = DROP_BODIES.replace('WHO', 'payer = $2');

const PRUNE_EVERY_MS = 60_000;
const PRUNE_ROWS = 1_000;
/** PostgreSQL's unique_violation. */
const UNIQUE_VIOLATION = '23505';

/**
 * Opens the store at its first use, and makes its tables if need be. While the database does not answer nothing is served.
 *
 * @example
 * ```ts
 * import { createPostgresRedemptionStore } from '@avm402/server/postgres';
 *
 * const store = createPostgresRedemptionStore({ url: 'postgres://avm402:secret@db.example/avm402' });
 * ```
 */
export function createPostgresRedemptionStore({
  url,
  retentionMs = DAY_MS,
  maxRows = 1_000_000,
  maxResponseBytes = 1024 * 1024 * 1024,
  maxResponseBytesPerPayer = 16 * 1024 * 1024,
  now = Date.now,
}: PostgresRedemptionStoreOptions): PostgresRedemptionStore {
  const options = { retentionMs, maxRows, maxResponseBytes, maxResponseBytesPerPayer, now };
  return new PostgresStore(new PostgresDatabase(url, MIGRATIONS), options);
}

/** Each method is one statement, and so atomic, also between servers; what it displaces goes afterwards. */
class PostgresStore implements PostgresRedemptionStore {
  readonly #database: PostgresDatabase;
  readonly #options: Required<Omit<PostgresRedemptionStoreOptions, 'url'>>;
  #nextPrune = 0;
  #pruning: Promise<void> = Promise.resolve();
  /** Bytes of responses that were kept since the bytes of all were last bounded. */
  #keptBytes = 0;

  constructor(database: PostgresDatabase, options: Required<Omit<PostgresRedemptionStoreOptions, 'url'>>) {
    this.#database = database;
    this.#options = options;
  }

  open(): Promise<void> {
    return this.#database.open();
  }

  async get(txId: string): Promise<Redemption | undefined> {
    return this.#find(`${SELECT} WHERE tx_id = $1`, txId);
  }

  async getByPaymentId(paymentId: string): Promise<Redemption | undefined> {
    return this.#find(`${SELECT} WHERE payment_id = $1`, paymentId);
  }

  async put(next: Redemption, previous?: Redemption): Promise<PutOutcome> {
    const { paymentId = null, payer, state, updatedAt, version, txId, response } = next;
    const { document, body } = encodeRedemption(next);
    const row = [paymentId, payer, state, updatedAt, response?.keptUntil ?? null, document, body, version, txId];
    try {
      const isStored =
        previous === undefined
          ? await this.#changes(INSERT, row)
          : await this.#changes(UPDATE, [...row, previous.version]);
      if (!isStored) return 'outdated';
    } catch (error) {
      if (!isUniqueViolation(error) || paymentId === null) throw error;
      // Two servers that write one payment at a time may meet at its payment id, before they meet at its TxID.
      const holder = await this.getByPaymentId(paymentId);
      if (holder === undefined) return this.put(next, previous);
      return holder.txId === txId ? 'outdated' : 'payment_id_taken';
    }
    await this.#bound(next);
    this.#pruneWhenDue();
    return 'stored';
  }

  remove({ txId, version }: Redemption): Promise<boolean> {
    return this.#changes('DELETE FROM avm402_redemptions WHERE tx_id = $1 AND version = $2', [txId, version]);
  }

  async close(): Promise<void> {
    await this.#pruning;
    await this.#database.close();
  }

  async #find(text: string, key: string): Promise<Redemption | undefined> {
    const { rows } = await this.#database.query<RedemptionDocument>(text, [key]);
    return rows[0] && redemptionOf(rows[0]);
  }

  async #changes(text: string, values: readonly unknown[]): Promise<boolean> {
    return (await this.#database.query(text, values)).rowCount === 1;
  }

  /** Drops what a row displaces. */
  async #bound({ payer, state, response }: Redemption): Promise<void> {
    if (state === 'released') await this.#database.query(DROP_REFUSED, [payer]);
    if (response === undefined) return;
    const { maxResponseBytes, maxResponseBytesPerPayer } = this.#options;
    await this.#database.query(DROP_BODIES_OF_PAYER, [maxResponseBytesPerPayer, payer]);
    this.#keptBytes += response.body.length;
    if (this.#keptBytes <= maxResponseBytes / 16) return;
    this.#keptBytes = 0;
    await this.#database.query(DROP_BODIES_OF_ALL, [maxResponseBytes]);
  }

  /** No request waits for it, and none fails with it: the next one is soon. */
  #pruneWhenDue(): void {
    const now = this.#options.now();
    if (now < this.#nextPrune) return;
    this.#nextPrune = now + PRUNE_EVERY_MS;
    this.#pruning = this.#prune(now).catch(() => {});
  }

  /** Finished rows go after their time. Those whose settlement is open stay until somebody has found out. */
  async #prune(now: number): Promise<void> {
    const { retentionMs, maxRows, maxResponseBytes } = this.#options;
    await this.#database.query(DROP_LATE_BODIES, [now]);
    await this.#database.query(DROP_BODIES_OF_ALL, [maxResponseBytes]);
    await this.#deleteRows(DROP_OLD, now - retentionMs);
    await this.#deleteRows(DROP_SURPLUS, maxRows);
  }

  /** In batches: no statement may take long. */
  async #deleteRows(text: string, limit: number): Promise<void> {
    for (;;) {
      const { rowCount } = await this.#database.query(text, [limit, PRUNE_ROWS]);
      if ((rowCount ?? 0) < PRUNE_ROWS) return;
    }
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;
}
