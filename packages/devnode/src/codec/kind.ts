import type { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Source } from './source.ts';

/** How one kind of value is read and written in msgpack and JSON. Schemas are made of kinds. */
export interface Kind<T> {
  /** The value of an absent field. */
  readonly zero: T;
  /** Whether the value is left out when written. */
  isZero(value: T): boolean;
  /** Whether the field was never set. An explicitly empty list is zero, but not unset. */
  isUnset(value: T): boolean;
  /** Reads a value. `before` matters when a key occurs twice: maps are merged, short byte fields are overlaid. */
  read(source: Source, before: T): T;
  write(writer: MsgpackWriter, value: T): void;
  /** The JSON text; `indent` is the white space before the line on which the value begins. */
  json(value: T, indent: string): string;
}

export type ValueOf<K> = K extends Kind<infer T> ? T : never;

/** A kind whose values are written like those of another kind. */
export function converted<T, R>(
  kind: Kind<R>,
  { to, from }: { readonly to: (value: T) => R; readonly from: (written: R) => T },
): Kind<T> {
  return {
    zero: from(kind.zero),
    isZero: (value) => kind.isZero(to(value)),
    isUnset: (value) => kind.isUnset(to(value)),
    read: (source, before) => from(kind.read(source, to(before))),
    write: (writer, value) => kind.write(writer, to(value)),
    json: (value, indent) => kind.json(to(value), indent),
  };
}
