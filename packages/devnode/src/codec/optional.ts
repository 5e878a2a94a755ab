import type { Kind } from './kind.ts';

/** A value that may be absent. When zero it is left out like an absent one, but it counts as set. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    zero: undefined,
    isZero: (value) => value === undefined || kind.isZero(value),
    isUnset: (value) => value === undefined,
    read(source, before) {
      if (source.shape() !== 'nil') return kind.read(source, before ?? kind.zero);
      source.nil();
      return undefined;
    },
    write: (writer, value) => kind.write(writer, value ?? kind.zero),
    json: (value, indent) => kind.json(value ?? kind.zero, indent),
  };
}

/** A value that may be absent, and is written even if it is empty. */
export function present<T>(kind: Kind<T>): Kind<T | undefined> {
  return { ...optional(kind), isZero: (value) => value === undefined };
}

/** A value that is written as nil (in JSON `null`) when there is none. */
export function nullable<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    ...present(kind),
    write: (writer, value) => (value === undefined ? void writer.nil() : kind.write(writer, value)),
    json: (value, indent) => (value === undefined ? 'null' : kind.json(value, indent)),
  };
}
