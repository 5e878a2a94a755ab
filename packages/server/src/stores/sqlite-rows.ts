import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  type Columns,
  insertion,
  removal,
  replacement,
  type Table,
  type Value,
  type VersionedRows,
} from './versioned-rows.ts';

/** SQLite's SQLITE_CONSTRAINT_UNIQUE. */
const CONSTRAINT_UNIQUE = 2067;

/** Rows in a file. Each statement is atomic, also between processes. */
export class SqliteRows implements VersionedRows {
  readonly table: Table;
  readonly unlocked = '';
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, table: Table) {
    this.#database = database;
    this.table = table;
  }

  insert(columns: Columns): boolean {
    return this.run(insertion(this.table, columns), Object.values(columns)) === 1;
  }

  replace(key: string, previous: number, columns: Columns): boolean {
    return this.run(replacement(this.table, columns), [...Object.values(columns), key, previous]) === 1;
  }

  remove(key: string, version: number): boolean {
    return this.run(removal(this.table), [key, version]) === 1;
  }

  run(sql: string, values: readonly Value[] = []): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  find<Row extends object>(sql: string, values: readonly Value[] = []): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  isTaken(error: unknown): boolean {
    return error instanceof Error && 'errcode' in error && error.errcode === CONSTRAINT_UNIQUE;
  }

  /**
   * Does everything in `work` in one transaction, and so with one wait for the disk. If it throws, nothing of it is
   * kept.
   */
  atomically<T>(work: () => T): T {
    this.run('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}
