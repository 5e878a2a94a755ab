import { DatabaseSync } from 'node:sqlite';

export interface RowCopies {
  readonly table: string;
  /** The column that differs; it gets 52 random characters. */
  readonly key: string;
  /** How many the table has then. */
  readonly rows: number;
}

/** Copies a row of a closed store until the table has this many. */
export function copyRows(store: string, { table, key, rows }: RowCopies): void {
  using database = new DatabaseSync(store);
  const columns = database.prepare(`PRAGMA table_info(${table})`).all();
  const names = columns.map(({ name }) => String(name));
  const copied = names.map((name) => (name === key ? 'upper(hex(randomblob(26)))' : name));
  const missing = rows - Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
  database
    .prepare(
      `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
       INSERT INTO ${table} (${names.join(', ')})
       SELECT ${copied.join(', ')} FROM (SELECT * FROM ${table} LIMIT 1), numbers WHERE ? > 0`,
    )
    .run(missing, missing);
}
