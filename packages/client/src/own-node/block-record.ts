/** A field of a block's record, which consists of nested maps. */
export function fieldOf(value: unknown, name: string): unknown {
  return value instanceof Map ? value.get(name) : undefined;
}
