import type { Kind } from './kind.ts';

/** A kind that is defined later, for values that contain their like. */
export function lazy<T>(kind: () => Kind<T>): Kind<T> {
  return {
    get zero() {
      return kind().zero;
    },
    isZero: (value) => kind().isZero(value),
    isUnset: (value) => kind().isUnset(value),
    read: (source, before) => kind().read(source, before),
    write: (writer, value) => kind().write(writer, value),
    json: (value, indent) => kind().json(value, indent),
  };
}
