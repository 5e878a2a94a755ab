import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Document } from '../node.ts';
import type { Kind } from './kind.ts';

/** Canonical msgpack of a value. */
export function encode<T>(kind: Kind<T>, value: T): Uint8Array {
  const writer = new MsgpackWriter();
  kind.write(writer, value);
  return writer.toBytes();
}

/** Canonical msgpack behind a prefix that says what is hashed or signed, e.g. `TX`. */
export function encodeWithPrefix<T>(prefix: Uint8Array, kind: Kind<T>, value: T): Uint8Array {
  const writer = new MsgpackWriter();
  writer.raw(prefix);
  kind.write(writer, value);
  return writer.toBytes();
}

/** A value with its schema, ready to be written either way. */
export function document<T>(kind: Kind<T>, value: T): Document {
  return { toMsgpack: () => encode(kind, value), toJson: () => kind.json(value, '') };
}
