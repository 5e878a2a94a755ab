import type { Kind } from './kind.ts';
import type { Source } from './source.ts';

/**
 * A list. `undefined` when it was never set; an empty one is left out when written.
 * @param goType algod's type, for a message
 */
export function list<T>(item: Kind<T>, goType?: string): Kind<readonly T[] | undefined> {
  return {
    zero: undefined,
    isZero: (value) => value === undefined || value.length === 0,
    isUnset: (value) => value === undefined,
    read: (source, before) => readList(source, { item, goType }, before),
    write(writer, value = []) {
      writer.arrayHeader(value.length);
      for (const each of value) item.write(writer, each);
    },
    json(value = [], indent) {
      if (value.length === 0) return '[]';
      const inner = `${indent}  `;
      return `[\n${value.map((each) => inner + item.json(each, inner)).join(',\n')}\n${indent}]`;
    },
  };
}

interface ListType<T> {
  readonly item: Kind<T>;
  readonly goType: string | undefined;
}

function readList<T>(
  source: Source,
  { item, goType }: ListType<T>,
  before: readonly T[] | undefined,
): readonly T[] | undefined {
  let length: number | undefined;
  switch (source.shape()) {
    case 'nil':
      source.nil();
      return undefined;
    case 'list':
      length = source.openList();
      break;
    case 'map': {
      const entries = source.openMap();
      length = entries === undefined ? undefined : entries * 2;
      break;
    }
    case 'bytes':
      if (goType !== undefined) {
        throw source.error(`bytes/string in stream must decode into slice/array of bytes, not ${goType}`);
      }
      throw source.error('only encoded map or array can be decoded into a slice (0)');
    case 'other':
      throw source.error('only encoded map or array can be decoded into a slice (0)');
  }
  const items: T[] = [];
  while (source.hasNext(items.length, length)) items.push(item.read(source, before?.[items.length] ?? item.zero));
  return items;
}
