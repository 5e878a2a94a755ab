/** A field of a block's record, which is maps in maps. */
export function fieldOf(value: unknown, name: string): unknown {
  return value instanceof Map ? value.get(name) : undefined;
}
