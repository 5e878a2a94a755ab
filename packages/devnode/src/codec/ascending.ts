/** Entries in the order of their keys: of numbers, or of the bytes of texts with one character per byte. */
export function ascending<K extends bigint | string, V>(entries: Iterable<readonly [K, V]>): (readonly [K, V])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
