import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Document } from '../node.ts';
import type { Kind } from './kind.ts';

// One for all: a new writer each time would be most of the cost of a small encoding.
const writer = new MsgpackWriter();

/** Canonical msgpack of a value. */
export function encode<T>(kind: Kind<T>, value: T): Uint8Array {
  writer.clear();
  kind.write(writer, value);
  return copyOf(writer.written);
}

/** Canonical msgpack behind a prefix that says what is hashed or signed, e.g. `TX`. */
export function encodeWithPrefix<T>(prefix: Uint8Array, kind: Kind<T>, value: T): Uint8Array {
  writer.clear().raw(prefix);
  kind.write(writer, value);
  return copyOf(writer.written);
}

/** Small Buffers share memory, which spares the garbage collector; nothing that lives long is kept in them. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes);
}

/** A value with its schema, ready to be written either way. */
export function document<T>(kind: Kind<T>, value: T): Document {
  return { toMsgpack: () => encode(kind, value), toJson: () => kind.json(value, '') };
}
