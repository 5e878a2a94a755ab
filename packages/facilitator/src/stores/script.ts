/** A statement, or a part of one, with `?` for each of its values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly (string | number | bigint | Uint8Array | null)[];
}

/** A row that a statement finds; its columns are those of the schema. */
export type FoundRow = Readonly<Record<string, unknown>>;

/**
 * Work on a database: it yields statements and gets the rows that each of them finds. SQLite runs a script at once, so
 * that nothing comes between its statements; PostgreSQL runs it step by step.
 */
export type Script<Result> = Generator<Statement, Result, readonly FoundRow[]>;

/** The parts of statements that the two databases spell differently. */
export interface Dialect {
  /** Names of the tables. */
  readonly settlements: string;
  readonly rounds: string;
  readonly catalogue: string;
  /** The place of a time in milliseconds since 1970 that a lease is compared to. */
  readonly time: string;
  /** Follows a column of texts that is compared byte by byte. */
  readonly byBytes: string;
  /** The function that finds a text within another one. */
  readonly position: string;
  /** The exact sum of the column `amount`, as the columns `amount_low` and `amount_high`. */
  readonly sumOfAmounts: string;
}

/** The condition that all of these are met; empty if there are none. */
export function whereAll(conditions: readonly Statement[]): Statement {
  const sql = conditions.length === 0 ? '' : `WHERE ${conditions.map((one) => one.sql).join(' AND ')}`;
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

/** The condition that each of these columns has its value. */
export function areEqual(columns: Readonly<Record<string, string | number | bigint>>): Statement {
  const conditions = Object.keys(columns).map((column) => `${column} = ?`);
  return { sql: conditions.join(' AND '), values: Object.values(columns) };
}

/** The condition that a column has one of these values. */
export function isOneOf(column: string, values: readonly string[]): Statement {
  return { sql: values.length === 0 ? '1 = 0' : `${column} IN (${places(values)})`, values };
}

/** The place of each value in a statement. */
export function places(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
