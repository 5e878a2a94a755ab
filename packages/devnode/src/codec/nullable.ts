import type { Kind } from './kind.ts';

/** A value that is written as nil (in JSON `null`) when there is none. */
export function nullable<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    zero: undefined,
    isZero: (value) => value === undefined,
    isUnset: (value) => value === undefined,
    read(source, before) {
      if (source.shape() !== 'nil') return kind.read(source, before ?? kind.zero);
      source.nil();
      return undefined;
    },
    write(writer, value) {
      if (value === undefined) writer.nil();
      else kind.write(writer, value);
    },
    json: (value, indent) => (value === undefined ? 'null' : kind.json(value, indent)),
  };
}
