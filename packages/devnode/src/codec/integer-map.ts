import type { Kind } from './kind.ts';
import type { Source } from './source.ts';

/** A map with unsigned integers as keys; in JSON they are texts. Empty unless set. */
export function integerMap<T>(member: Kind<T>): Kind<ReadonlyMap<bigint, T>> {
  const zero: ReadonlyMap<bigint, T> = new Map();
  return {
    zero,
    isZero: (value) => value.size === 0,
    isUnset: (value) => value === zero,
    read(source, before) {
      if (source.shape() === 'nil') {
        source.nil();
        return zero;
      }
      // Merged in place, as in algod: with a copy for each repeated key, the cost would be quadratic.
      const map = before === zero ? new Map<bigint, T>() : (before as Map<bigint, T>);
      readEntries(source, member, map);
      return map;
    },
    write(writer, value) {
      writer.mapHeader(value.size);
      for (const [key, each] of sorted(value)) {
        writer.integer(key);
        member.write(writer, each);
      }
    },
    json(value, indent) {
      if (value.size === 0) return '{}';
      const inner = `${indent}  `;
      const members = sorted(value).map(([key, each]) => `${inner}"${key}": ${member.json(each, inner)}`);
      return `{\n${members.join(',\n')}\n${indent}}`;
    },
  };
}

function sorted<T>(map: ReadonlyMap<bigint, T>): [bigint, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function readEntries<T>(source: Source, member: Kind<T>, map: Map<bigint, T>): void {
  if (source.shape() !== 'map') throw source.error('only encoded map can be decoded into a map');
  const size = source.openMap();
  for (let index = 0; source.hasNext(index, size); index++) {
    const key = source.integerKey();
    map.set(key, member.read(source, map.get(key) ?? member.zero));
  }
}
