import type { Kind } from './kind.ts';
import type { Source } from './source.ts';
import { byteString } from './text.ts';

/**
 * A map with texts as keys, whose bytes need not be UTF-8: strings of one character per byte. Written in order of the
 * bytes. Empty unless set.
 */
export function byteStringMap<T>(member: Kind<T>): Kind<ReadonlyMap<string, T>> {
  const zero: ReadonlyMap<string, T> = new Map();
  return {
    zero,
    isZero: (value) => value.size === 0,
    isUnset: (value) => value.size === 0,
    read(source) {
      if (source.shape() !== 'nil') return readEntries(source, member);
      source.nil();
      return zero;
    },
    write(writer, value) {
      writer.mapHeader(value.size);
      for (const [key, each] of sorted(value)) {
        byteString.write(writer, key);
        member.write(writer, each);
      }
    },
    json(value, indent) {
      if (value.size === 0) return '{}';
      const inner = `${indent}  `;
      const members = sorted(value).map(
        ([key, each]) => `${inner}${byteString.json(key, inner)}: ${member.json(each, inner)}`,
      );
      return `{\n${members.join(',\n')}\n${indent}}`;
    },
  };
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function readEntries<T>(source: Source, member: Kind<T>): ReadonlyMap<string, T> {
  if (source.shape() !== 'map') throw source.error('only encoded map can be decoded into a map');
  const map = new Map<string, T>();
  const size = source.openMap();
  for (let index = 0; source.hasNext(index, size); index++) {
    map.set(byteString.read(source, ''), member.read(source, member.zero));
  }
  return map;
}
