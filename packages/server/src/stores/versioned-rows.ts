/** The value of a column. */
export type Value = string | number | bigint | Uint8Array | null;

/** A row's columns by name; its `version` is one of them. */
export type Columns = Readonly<Record<string, Value>>;

export interface Table {
  readonly name: string;
  /** The name of its key column. */
  readonly key: string;
}

/**
 * A table of rows by key. A row is replaced only from the version that its writer has seen. Statements mark their
 * values by `?`. A file answers at once, a server later.
 */
export interface VersionedRows {
  readonly table: Table;
  /**
   * The end of a SELECT that skips rows that somebody else is changing: two that wait for each other would both fail.
   */
  readonly unlocked: string;
  /** Makes a row; returns whether its key was free. */
  insert(columns: Columns): boolean | Promise<boolean>;
  /** Changes these columns of a row; returns whether the row had the version `previous`. */
  replace(key: string, previous: number, columns: Columns): boolean | Promise<boolean>;
  /** Removes a row; returns whether it had this version. */
  remove(key: string, version: number): boolean | Promise<boolean>;
  /** Returns how many rows the statement has changed. */
  run(sql: string, values?: readonly Value[]): number | Promise<number>;
  /** The rows that the statement finds; their columns are those of the schema. */
  find<Row extends object>(sql: string, values?: readonly Value[]): Row[] | Promise<Row[]>;
  /** Whether a write failed because another row has a value that must be unique. */
  isTaken(error: unknown): boolean;
}

export function insertion({ name, key }: Table, columns: Columns): string {
  const names = Object.keys(columns);
  const places = names.map(() => '?').join(', ');
  return `INSERT INTO ${name} (${names.join(', ')}) VALUES (${places}) ON CONFLICT (${key}) DO NOTHING`;
}

/** The statement's last two values are the key and the version. */
export function replacement({ name, key }: Table, columns: Columns): string {
  const changes = Object.keys(columns).map((column) => `${column} = ?`);
  return `UPDATE ${name} SET ${changes.join(', ')} WHERE ${key} = ? AND version = ?`;
}

export function removal({ name, key }: Table): string {
  return `DELETE FROM ${name} WHERE ${key} = ? AND version = ?`;
}
