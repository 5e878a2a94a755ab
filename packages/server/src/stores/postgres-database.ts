import { deferred } from '@avm402/core/deferred';
import { X402Error } from '@avm402/core/errors';
import { loadedOnce } from '@avm402/core/loaded-once';
import { type ClientBase, Pool, type PoolClient, type QueryResultRow } from 'pg';

/**
 * Statements by name. Those that a database has not seen are run once, in this order. A published one never changes.
 */
export type Migrations = Readonly<Record<string, string>>;

/** A store that servers on any number of machines share. */
export interface PostgresStore {
  /**
   * Connects and makes the tables; the other methods do this if needed.
   * @throws X402Error `store_unavailable`
   */
  open(): Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** An index of many million rows takes minutes, and another server may be making it. */
const MIGRATION_TIMEOUT_MS = 3_600_000;
/** Key of the advisory lock under which tables are made, because several servers may start at once. */
const MIGRATION_LOCK = 0x4156_4d35;

/** A database that several servers share. Its tables are made at its first use. */
export class PostgresDatabase {
  readonly #pool: Pool;
  readonly #migrate: () => Promise<void>;
  #isOpen = false;
  /** A pool ends once, however many servers that used it stop. */
  #closing: Promise<void> | undefined;

  /** @param url `postgres://user:password@host:port/database` */
  constructor(url: string, migrations: Migrations) {
    this.#pool = new Pool({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      onConnect: readCommitted,
    });
    // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
    this.#pool.on('error', () => {});
    // The statements of one that breaks while it is used fail; so would the process, without this listener.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#migrate = loadedOnce(() => migrate(this.#pool, migrations));
  }

  /** @throws X402Error `store_unavailable`; the next call tries again */
  async open(): Promise<void> {
    try {
      await this.#migrate();
      this.#isOpen = true;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'it does not answer';
      throw new X402Error('store_unavailable', { message: `the store in PostgreSQL: ${reason}`, cause });
    }
  }

  async query<Row extends QueryResultRow>(text: string, values: readonly unknown[]) {
    await this.#opened();
    return this.#pool.query<Row>(text, [...values]);
  }

  /** Runs a statement in a transaction that holds an advisory lock. */
  async alone(lock: number, text: string, values: readonly unknown[]) {
    await this.#opened();
    return inTransaction(this.#pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
      return client.query(text, [...values]);
    });
  }

  /** Opens it for a statement, which waits for the tables no longer than for its answer. */
  async #opened(): Promise<void> {
    if (this.#isOpen) return;
    const late = deferred<never>();
    const error = new X402Error('store_unavailable', { message: 'the store in PostgreSQL: its tables are being made' });
    const timer = setTimeout(() => late.reject(error), STATEMENT_TIMEOUT_MS);
    await Promise.race([this.open(), late.promise]).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#pool.end());
  }
}

/** Prepares a new connection. Under a stricter isolation, a statement that has waited for another server's fails. */
function readCommitted(client: ClientBase): object {
  return client.query("SET default_transaction_isolation = 'read committed'");
}

async function migrate(pool: Pool, migrations: Migrations): Promise<void> {
  await inTransaction(pool, async (client) => {
    const run = (text: string, values: unknown[] = []) => {
      const statement = { text, values, query_timeout: MIGRATION_TIMEOUT_MS };
      return client.query<{ name: string }>(statement);
    };
    await run(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT_MS}`);
    await run('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await run('CREATE TABLE IF NOT EXISTS avm402_server_migrations (name text PRIMARY KEY)');
    const { rows } = await run('SELECT name FROM avm402_server_migrations');
    const done = new Set(rows.map(({ name }) => name));
    for (const [name, statements] of Object.entries(migrations)) {
      if (done.has(name)) continue;
      await run(statements);
      await run('INSERT INTO avm402_server_migrations (name) VALUES ($1)', [name]);
    }
  });
}

async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // The connection's state is unknown, so it is not used again; the database rolls back what was not committed.
    client.release(true);
    throw error;
  }
}
