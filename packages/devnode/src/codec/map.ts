import { encodeBase64 } from '@avm402/algorand/base64';
import type { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import { ascending } from './ascending.ts';
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
      const map = new Map<string, T>();
      const isNil = !readEntries(source, () => {
        map.set(byteString.read(source, ''), member.read(source, member.zero));
      });
      return isNil ? zero : map;
    },
    write: (writer, value) => write(writer, ascending(value), (key) => byteString.write(writer, key), member),
    json: (value, indent) => json(ascending(value), (key) => byteString.json(key, indent), { member, indent }),
  };
}

/** A map with unsigned integers as keys; in JSON they are texts. Empty unless set. */
export function integerMap<T>(member: Kind<T>): Kind<ReadonlyMap<bigint, T>> {
  const zero: ReadonlyMap<bigint, T> = new Map();
  return {
    zero,
    isZero: (value) => value.size === 0,
    isUnset: (value) => value === zero,
    read(source, before) {
      // Merged in place, as in algod: with a copy for each repeated key, the cost would be quadratic.
      const map = before === zero ? new Map<bigint, T>() : (before as Map<bigint, T>);
      const isNil = !readEntries(source, () => {
        const key = source.integerKey();
        map.set(key, member.read(source, map.get(key) ?? member.zero));
      });
      return isNil ? zero : map;
    },
    write: (writer, value) => write(writer, ascending(value), (key) => void writer.integer(key), member),
    json: (value, indent) => json(ascending(value), (key) => `"${key}"`, { member, indent }),
  };
}

/** A map with bytes as keys, in JSON their base64. Only written, never read. */
export function bytesMap<T>(member: Kind<T>): Kind<readonly (readonly [Uint8Array, T])[]> {
  return {
    zero: [],
    isZero: (value) => value.length === 0,
    isUnset: (value) => value.length === 0,
    read(source) {
      throw source.error('maps with bytes for keys are not read');
    },
    write(writer, value) {
      const entries = [...value].sort(([a], [b]) => Buffer.compare(a, b));
      write(writer, entries, (key) => void writer.bytes(key), member);
    },
    json(value, indent) {
      const entries = ascending(value.map(([key, each]) => [encodeBase64(key), each] as const));
      return json(entries, (key) => `"${key}"`, { member, indent });
    },
  };
}

/** Reads the entries of a map; gives false for nil. */
function readEntries(source: Source, readEntry: () => void): boolean {
  const shape = source.shape();
  if (shape === 'nil') {
    source.nil();
    return false;
  }
  if (shape !== 'map') throw source.error('only encoded map can be decoded into a map');
  const size = source.openMap();
  for (let index = 0; source.hasNext(index, size); index++) readEntry();
  return true;
}

function write<K, T>(
  writer: MsgpackWriter,
  entries: readonly (readonly [K, T])[],
  writeKey: (key: K) => void,
  member: Kind<T>,
): void {
  writer.mapHeader(entries.length);
  for (const [key, each] of entries) {
    writeKey(key);
    member.write(writer, each);
  }
}

function json<K, T>(
  entries: readonly (readonly [K, T])[],
  keyJson: (key: K) => string,
  { member, indent }: { readonly member: Kind<T>; readonly indent: string },
): string {
  if (entries.length === 0) return '{}';
  const inner = `${indent}  `;
  const members = entries.map(([key, each]) => `${inner}${keyJson(key)}: ${member.json(each, inner)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}
