/** A column, or a unique index, which is one that every row must satisfy. */
export interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** Whether a row can be written without it. */
  readonly isOptional: boolean;
}

/**
 * What keeps a program that knows the schema of before from working with the one after: columns that are gone or of
 * another type, and what it does not know and has to write.
 */
export function whatStrands(before: readonly Column[], after: readonly Column[]): string[] {
  const nameOf = ({ table, name }: Column): string => `${table}.${name}`;
  const tables = new Set(before.map(({ table }) => table));
  const old = new Set(before.map(nameOf));
  const gone = before.filter((one) => !after.some((it) => nameOf(it) === nameOf(one) && it.type === one.type));
  const demanded = after.filter((one) => tables.has(one.table) && !old.has(nameOf(one)) && !one.isOptional);
  return [...new Set([...gone, ...demanded].map(nameOf))];
}
