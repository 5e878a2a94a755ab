import { DatabaseError } from 'pg';
import type { PostgresDatabase } from './postgres-database.ts';
import {
  type Columns,
  insertion,
  removal,
  replacement,
  type Table,
  type Value,
  type VersionedRows,
} from './versioned-rows.ts';

/** PostgreSQL's unique_violation. */
const UNIQUE_VIOLATION = '23505';

/** Rows in a database that servers on any number of machines share. Each statement is atomic. */
export class PostgresRows implements VersionedRows {
  readonly table: Table;
  readonly unlocked = 'FOR UPDATE SKIP LOCKED';
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase, table: Table) {
    this.#database = database;
    this.table = table;
  }

  async insert(columns: Columns): Promise<boolean> {
    return (await this.run(insertion(this.table, columns), Object.values(columns))) === 1;
  }

  async replace(key: string, previous: number, columns: Columns): Promise<boolean> {
    return (await this.run(replacement(this.table, columns), [...Object.values(columns), key, previous])) === 1;
  }

  async remove(key: string, version: number): Promise<boolean> {
    return (await this.run(removal(this.table), [key, version])) === 1;
  }

  async run(sql: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#database.query(numbered(sql), values)).rowCount ?? 0;
  }

  /** Runs a statement while no other connection runs one under the same lock, so that it sees what those have written. */
  async alone(lock: number, sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#database.alone(lock, numbered(sql), values)).rowCount ?? 0;
  }

  async find<Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await this.#database.query<Row>(numbered(sql), values)).rows;
  }

  isTaken(error: unknown): boolean {
    return error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;
  }
}

/** Numbers the values of a statement, as PostgreSQL needs them. */
function numbered(sql: string): string {
  let place = 0;
  return sql.replaceAll('?', () => `$${++place}`);
}
