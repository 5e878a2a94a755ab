import { openItems } from './bytes.ts';
import type { Kind } from './kind.ts';

/**
 * A list. `undefined` when it was never set; an empty one is left out when written.
 * @param goType algod's type, for a message
 */
export function list<T>(item: Kind<T>, goType?: string): Kind<readonly T[] | undefined> {
  return {
    zero: undefined,
    isZero: (value) => value === undefined || value.length === 0,
    isUnset: (value) => value === undefined,
    read(source, before) {
      const shape = source.shape();
      if (shape === 'bytes' && goType !== undefined) {
        throw source.error(`bytes/string in stream must decode into slice/array of bytes, not ${goType}`);
      }
      if (shape === 'nil') {
        source.nil();
        return undefined;
      }
      const length = openItems(source);
      const items: T[] = [];
      while (source.hasNext(items.length, length)) items.push(item.read(source, before?.[items.length] ?? item.zero));
      return items;
    },
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
