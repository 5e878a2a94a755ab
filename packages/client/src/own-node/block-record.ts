/** Blocks that one search asks a node for at the same time. */
const AT_ONCE = 8n;

/** A field of a block's record, which consists of nested maps. */
export function fieldOf(value: unknown, name: string): unknown {
  return value instanceof Map ? value.get(name) : undefined;
}

/** The members of the groups in a block, as its record has them. */
export function membersOf(record: unknown): readonly unknown[] {
  const members = fieldOf(fieldOf(record, 'block'), 'txns');
  return Array.isArray(members) ? members : [];
}

/** The integer in a field; undefined if it holds none. */
export function integerOf(field: unknown): bigint | undefined {
  return typeof field === 'bigint' || typeof field === 'number' ? BigInt(field) : undefined;
}

/** Whether a field holds exactly these bytes. */
export function isBytes(field: unknown, bytes: Uint8Array | undefined): boolean {
  return field instanceof Uint8Array && bytes?.length === field.length && field.every((byte, at) => byte === bytes[at]);
}

/** The rounds from `first` to `last`, in parts whose blocks are asked for together. The genesis block has no members. */
export function* roundsBetween(first: bigint, last: bigint): Iterable<readonly bigint[]> {
  for (let start = first > 0n ? first : 1n; start <= last; start += AT_ONCE) {
    const left = last - start + 1n;
    yield Array.from({ length: Number(left < AT_ONCE ? left : AT_ONCE) }, (_, index) => start + BigInt(index));
  }
}
