import { encodeBase64 } from '@avm402/algorand/base64';
import type { Kind } from './kind.ts';

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
      writer.mapHeader(value.length);
      for (const [key, each] of sorted(value)) {
        writer.bytes(key);
        member.write(writer, each);
      }
    },
    json(value, indent) {
      if (value.length === 0) return '{}';
      const inner = `${indent}  `;
      const entries = value.map(([key, each]) => [encodeBase64(key), each] as const);
      const members = entries.sort(([a], [b]) => (a < b ? -1 : 1));
      return `{\n${members.map(([key, each]) => `${inner}"${key}": ${member.json(each, inner)}`).join(',\n')}\n${indent}}`;
    },
  };
}

function sorted<T>(entries: readonly (readonly [Uint8Array, T])[]): (readonly [Uint8Array, T])[] {
  return [...entries].sort(([a], [b]) => Buffer.compare(a, b));
}
